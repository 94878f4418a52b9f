internal import Files
internal import Foundation

/// The names of folders, lists and values in exports of iCloud Photos, in Apple's languages, in lower case.
package enum ICloudNames {
    private static let deleted: Set = [
        "recently deleted", "zuletzt gelöscht", "supprimés récemment", "supprimées récemment",
        "suppressions récentes", "eliminado recientemente", "eliminados recientemente", "eliminado",
        "eliminati di recente", "apagados recentemente", "apagadas recentemente", "apagados",
        "recent verwijderd", "onlangs verwijderd", "ostatnio usunięte", "nyligen raderade", "senast raderade",
        "nylig slettet", "slettet for nylig", "senest slettet", "viimeksi poistetut", "äskettäin poistetut",
        "nedávno smazané", "naposledy smazané", "недавно удаленные", "недавно удалённые",
        "нещодавно видалені", "son silinenler", "最近削除した項目", "最近删除", "最近刪除", "최근 삭제된 항목",
    ]
    private static let memories: Set = [
        "memories", "rückblicke", "erinnerungen", "souvenirs", "recuerdos", "ricordi", "memórias",
        "herinneringen", "wspomnienia", "minnen", "minner", "minder", "muistot", "vzpomínky", "воспоминания",
        "спогади", "anılar", "メモリー", "回忆", "回憶", "추억",
    ]
    private static let shared: Set = [
        "shared albums", "icloud shared albums", "my albums", "geteilte alben", "albums partagés",
        "álbumes compartidos", "album condivisi", "álbuns partilhados", "álbuns compartilhados",
        "gedeelde albums", "udostępnione albumy", "delade album", "delte albumer", "delte album",
        "jaetut albumit", "sdílená alba", "общие альбомы", "спільні альбоми", "paylaşılan albümler",
        "共有アルバム", "共享相簿", "共享相册", "공유 앨범",
    ]
    private static let favorites: Set = [
        "favorites", "favourites", "favoriten", "favoris", "favoritos", "preferiti", "favorieten", "ulubione",
        "favoriter", "suosikit", "oblíbené", "избранное", "обране", "favoriler", "お気に入り", "个人收藏",
        "個人收藏", "喜好項目", "즐겨찾는 항목",
    ]
    private static let hidden: Set = [
        "hidden", "ausgeblendet", "masqué", "masqués", "masquées", "oculto", "ocultos", "ocultas", "nascosti",
        "verborgen", "ukryte", "gömda", "dolda", "skjult", "skjulte", "kätketyt", "kätketty", "skryté",
        "скрытые", "приховані", "gizli", "gizlenenler", "非表示", "已隐藏", "已隱藏", "가려진 항목",
    ]
    private static let yes: Set = [
        "yes", "true", "1", "ja", "oui", "sí", "si", "sì", "sim", "tak", "kyllä", "ano", "да", "так", "evet",
        "はい", "是", "예",
    ]

    /// Names in any form of accents are equal as texts.
    private static func key(_ text: String) -> String {
        text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
    }

    package static func isDeleted(_ folder: String) -> Bool { deleted.contains(key(folder)) }
    package static func isMemories(_ folder: String) -> Bool { memories.contains(key(folder)) }
    package static func isShared(_ folder: String) -> Bool {
        let key = key(folder)
        return shared.contains(key) || key.hasPrefix("icloud shared albums")
    }
    package static func isFavorites(_ list: String) -> Bool { favorites.contains(key(list)) }
    package static func isHidden(_ list: String) -> Bool { hidden.contains(key(list)) }
    static func isYes(_ value: String) -> Bool { yes.contains(key(value)) }

    /// Whether it is the name that Apple gives to archives of exports: "iCloud Photos Part 1 of 3.zip",
    /// "iCloud-bilder Del 1 av 6.zip", "iCloud Shared Albums.zip".
    package static func isArchive(_ name: String) -> Bool {
        let lower = name.lowercased()
        return lower.hasPrefix("icloud") && lower.hasSuffix(".zip")
    }
}
