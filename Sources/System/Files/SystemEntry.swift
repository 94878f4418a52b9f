/// What systems, network storage and programs keep beside photos: thumbnails, deleted files, previews, proxies of cameras.
package enum SystemEntry {
    /// Names of files and folders, in lower case.
    ///
    /// Sources: the lists of immich-go, PhotoPrism and Immich; GitHub's gitignore templates for macOS and Windows; programs that
    /// index shares of Synology and QNAP. Folders that have the only copy of something, such as `.picasaoriginals`, are not here.
    private static let names: Set = [
        // Synology; QNAP; Western Digital; Samba
        "@eadir", "#recycle", "#snapshot", "@tmp", "@sharesnap", "@sharebin", ".synologyworkingdirectory",
        "@__thumb", ".@__thumb", "@recycle", "@recently-snapshot", "@transcode", ".@upload_cache", ".streams",
        ".qsync", ".wdmc", ".wd_tv", ".recycle",
        // Snapshots of ZFS, NetApp and snapper
        ".zfs", ".snapshot", ".snapshots", "~snapshot",
        // Windows
        "$recycle.bin", "recycler", "system volume information", "thumbs.db", "ehthumbs.db",
        "ehthumbs_vista.db", "desktop.ini",
        // macOS
        "__macosx", ".appledouble", ".appledb", ".appledesktop", ".ds_store", ".localized", ".apdisk",
        ".spotlight-v100", ".fseventsd", ".temporaryitems", ".documentrevisions-v100", ".volumeicon.icns",
        ".com.apple.timemachine.donotpresent", "network trash folder", "temporary items", "icon\r",
        // Linux and Android
        "lost+found", "lost.dir", ".directory", ".thumbnails", ".globaltrash",
        // Nextcloud and ownCloud; Resilio and Syncthing; Dropbox and Google Drive
        "files_trashbin", "files_versions", ".sync", ".stversions", ".dropbox.cache", ".tmp.drivedownload",
        ".tmp.driveupload",
        // Lightroom; PhotoStructure; digiKam; Bridge; iTunes
        "lightroom catalog", ".photostructure", ".dtrash", ".bridgecache", ".bridgecachet",
        "ipod photo cache",
    ]

    private static let beginnings = [
        "synofile_thumb_", "synophoto_thumb_", "._", ".trash", ".pending-", "appdata_oc", ".fuse_hidden",
        ".nextcloudsync", ".owncloudsync",
    ]
    /// Lightroom keeps previews beside its catalog in "NAME Previews.lrdata"; Synology the attributes of files of macOS.
    private static let endings = [".lrdata", "@synoeastream", "@synoresource"]

    /// Folders that are kept only in a certain folder, which in turn may lie in a certain one.
    ///
    /// Cameras of Sony keep thumbnails and proxies of films, drones of DJI those of all shots; Capture One and the libraries of
    /// Apple's programs previews.
    private static let below: [(names: Set<String>, folders: [String], above: String?)] = [
        (["thmbnl", "sub"], ["m4root", "xdroot"], nil),
        (["thm"], ["misc"], nil),
        (["cache"], ["captureone"], nil),
        (["derivatives", "proxies"], ["resources"], ".photoslibrary"),
        (["thumbnails", "previews"], [".photoslibrary", ".photolibrary", ".aplibrary"], nil),
    ]

    /// Whether an entry is kept by a system, by its name and the path of its folder.
    package static func isKept(_ name: FilePath, in folder: FilePath) -> Bool {
        let lower = name.text.lowercased()
        if names.contains(lower) { return true }
        // Most names of photos begin with a letter and end with a usual extension.
        if beginnings.contains(where: lower.hasPrefix) || endings.contains(where: lower.hasSuffix) {
            return true
        }
        return below.contains { rule in
            rule.names.contains(lower) && rule.folders.contains { isNamed(folder, $0) }
                && rule.above.map { isNamed(folder.folder, $0) } ?? true
        }
    }

    /// Whether a folder has a name, or one that ends in an extension.
    private static func isNamed(_ folder: FilePath, _ name: String) -> Bool {
        let lower = folder.name.text.lowercased()
        return name.hasPrefix(".") ? lower.hasSuffix(name) : lower == name
    }
}

/// Which of the entries of folders and archives are looked at.
package enum EntryScope: Sendable {
    /// Those that users see: neither hidden nor kept by systems.
    case visible
    /// Also hidden ones.
    case hidden
    /// Also what systems, network storage and programs keep beside photos.
    case everything

    /// Whether a name is one that this program uses for its own files, which are never looked at.
    private static func isOwn(_ name: FilePath) -> Bool {
        name.hasPrefix(".viewport") || TemporaryName.isOne(name)
    }

    /// Whether an entry is looked at, by its name and the path of its folder.
    package func includes(_ name: FilePath, in folder: FilePath) -> Bool {
        switch self {
        case .visible: !name.isHidden && !SystemEntry.isKept(name, in: folder)
        case .hidden: !Self.isOwn(name) && !SystemEntry.isKept(name, in: folder)
        case .everything: !Self.isOwn(name)
        }
    }

    /// Whether something at a path is looked at, by all of its names.
    package func includes(_ path: FilePath) -> Bool {
        var folder: FilePath = ""
        for name in path.names {
            guard includes(name, in: folder) else { return false }
            folder = folder.appending(name)
        }
        return true
    }
}
