/// Sidecars in the layouts of the programs that write them, with the same rating, words and texts in two languages.
package enum SidecarMaker {
    package struct Layout: CustomStringConvertible, Sendable {
        package let program: String
        package let text: String

        package var description: String { program }
    }

    package static let layouts = [
        Layout(program: "Lightroom", text: lightroom), Layout(program: "darktable", text: darktable),
        Layout(program: "digiKam", text: digiKam), Layout(program: "exiftool", text: exifTool),
        Layout(program: "Apple Photos", text: applePhotos), Layout(program: "Capture One", text: captureOne),
        Layout(program: "ACDSee", text: acdSee),
        Layout(
            program: "Bridge on Windows", text: lightroom.replacing("\n", with: "\r\n")),
    ]

    private static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

    /// Adobe: properties as attributes, three spaces, a padded packet.
    private static let lightroom = """
        <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="Adobe XMP Core 7.0-c000 1.000000, 0000/00/00-00:00:00        ">
         <rdf:RDF xmlns:rdf="\(rdf)">
          <rdf:Description rdf:about=""
            xmlns:xmp="http://ns.adobe.com/xap/1.0/"
            xmlns:dc="http://purl.org/dc/elements/1.1/"
            xmlns:lr="http://ns.adobe.com/lightroom/1.0/"
            xmlns:crs="http://ns.adobe.com/camera-raw-settings/1.0/"
           xmp:Rating="4"
           xmp:Label="Yellow"
           crs:Exposure2012="+0.25"
           crs:ToneCurveName2012="Linear &quot;mine&quot;">
           <dc:title>
            <rdf:Alt>
             <rdf:li xml:lang="x-default">The lake</rdf:li>
             <rdf:li xml:lang="en-US">The lake</rdf:li>
             <rdf:li xml:lang="de-DE">Der See</rdf:li>
            </rdf:Alt>
           </dc:title>
           <dc:description>
            <rdf:Alt>
             <rdf:li xml:lang="x-default">Words &amp; more</rdf:li>
             <rdf:li xml:lang="fr-FR">Des mots</rdf:li>
            </rdf:Alt>
           </dc:description>
           <dc:subject>
            <rdf:Bag>
             <rdf:li>places</rdf:li>
             <rdf:li>Geneva</rdf:li>
             <rdf:li>boat</rdf:li>
            </rdf:Bag>
           </dc:subject>
           <lr:hierarchicalSubject>
            <rdf:Bag>
             <rdf:li>places|Geneva</rdf:li>
             <rdf:li>boat</rdf:li>
            </rdf:Bag>
           </lr:hierarchicalSubject>
           <crs:ToneCurvePV2012>
            <rdf:Seq>
             <rdf:li>0, 0</rdf:li>
             <rdf:li>255, 255</rdf:li>
            </rdf:Seq>
           </crs:ToneCurvePV2012>
          </rdf:Description>
         </rdf:RDF>
        </x:xmpmeta>

        """ + String(repeating: String(repeating: " ", count: 100) + "\n", count: 4) + "<?xpacket end=\"w\"?>"

    /// Exiv2: an XML declaration instead of a packet, sequences on lines of their own, no line break at the end.
    private static let darktable = """
        <?xml version="1.0" encoding="UTF-8"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="XMP Core 4.4.0-Exiv2">
         <rdf:RDF xmlns:rdf="\(rdf)">
          <rdf:Description rdf:about=""
            xmlns:xmp="http://ns.adobe.com/xap/1.0/"
            xmlns:dc="http://purl.org/dc/elements/1.1/"
            xmlns:darktable="http://darktable.sf.net/"
            xmlns:lr="http://ns.adobe.com/lightroom/1.0/"
           xmp:Rating="4"
           darktable:xmp_version="5"
           darktable:history_end="1">
           <dc:title>
            <rdf:Alt>
             <rdf:li xml:lang="x-default">The lake</rdf:li>
             <rdf:li xml:lang="de">Der See</rdf:li>
            </rdf:Alt>
           </dc:title>
           <dc:description>
            <rdf:Alt>
             <rdf:li xml:lang="x-default">Words &amp; more</rdf:li>
            </rdf:Alt>
           </dc:description>
           <dc:subject>
            <rdf:Seq>
             <rdf:li>darktable</rdf:li>
             <rdf:li>format</rdf:li>
             <rdf:li>jpg</rdf:li>
             <rdf:li>places</rdf:li>
             <rdf:li>Geneva</rdf:li>
             <rdf:li>boat</rdf:li>
            </rdf:Seq>
           </dc:subject>
           <darktable:history>
            <rdf:Seq>
             <rdf:li
              darktable:num="0"
              darktable:operation="exposure"
              darktable:params="gz02eJxjYGBg&amp;"/>
            </rdf:Seq>
           </darktable:history>
           <lr:hierarchicalSubject>
            <rdf:Seq>
             <rdf:li>darktable|format|jpg</rdf:li>
             <rdf:li>places|Geneva</rdf:li>
             <rdf:li>boat</rdf:li>
            </rdf:Seq>
           </lr:hierarchicalSubject>
          </rdf:Description>
         </rdf:RDF>
        </x:xmpmeta>
        """

    /// digiKam: all lists that any program reads, ACDSee's as an attribute.
    private static let digiKam = """
        <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="XMP Core 4.4.0-Exiv2"><rdf:RDF xmlns:rdf="\(rdf)">
        <rdf:Description rdf:about="" xmlns:digiKam="http://www.digikam.org/ns/1.0/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:acdsee="http://ns.acdsee.com/iptc/1.0/" xmlns:lr="http://ns.adobe.com/lightroom/1.0/" xmlns:MicrosoftPhoto="http://ns.microsoft.com/photo/1.0/" xmlns:mediapro="http://ns.iview-media.com/mediapro/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/" digiKam:PickLabel="0" digiKam:ColorLabel="3" xmp:Rating="4" MicrosoftPhoto:Rating="75" acdsee:categories="&lt;Categories&gt;&lt;Category Assigned=&quot;0&quot;&gt;places&lt;Category Assigned=&quot;1&quot;&gt;Geneva&lt;/Category&gt;&lt;/Category&gt;&lt;Category Assigned=&quot;1&quot;&gt;boat&lt;/Category&gt;&lt;/Categories&gt;">
        <digiKam:TagsList><rdf:Seq><rdf:li>places/Geneva</rdf:li><rdf:li>boat</rdf:li></rdf:Seq></digiKam:TagsList>
        <MicrosoftPhoto:LastKeywordXMP><rdf:Bag><rdf:li>places/Geneva</rdf:li><rdf:li>boat</rdf:li></rdf:Bag></MicrosoftPhoto:LastKeywordXMP>
        <lr:hierarchicalSubject><rdf:Bag><rdf:li>places|Geneva</rdf:li><rdf:li>boat</rdf:li></rdf:Bag></lr:hierarchicalSubject>
        <mediapro:CatalogSets><rdf:Bag><rdf:li>places|Geneva</rdf:li><rdf:li>boat</rdf:li></rdf:Bag></mediapro:CatalogSets>
        <dc:title><rdf:Alt><rdf:li xml:lang="x-default">The lake</rdf:li><rdf:li xml:lang="de">Der See</rdf:li></rdf:Alt></dc:title>
        <dc:description><rdf:Alt><rdf:li xml:lang="x-default">Words &amp; more</rdf:li></rdf:Alt></dc:description>
        <dc:subject><rdf:Bag><rdf:li>places</rdf:li><rdf:li>Geneva</rdf:li><rdf:li>boat</rdf:li></rdf:Bag></dc:subject>
        </rdf:Description></rdf:RDF></x:xmpmeta>
        <?xpacket end="w"?>
        """

    /// exiftool: single quotes, elements only, one description for each namespace.
    private static let exifTool = """
        <?xpacket begin='\u{FEFF}' id='W5M0MpCehiHzreSzNTczkc9d'?>
        <x:xmpmeta xmlns:x='adobe:ns:meta/' x:xmptk='Image::ExifTool 12.76'>
        <rdf:RDF xmlns:rdf='\(rdf)'>

         <rdf:Description rdf:about=''
          xmlns:dc='http://purl.org/dc/elements/1.1/'>
          <dc:description>
           <rdf:Alt>
            <rdf:li xml:lang='x-default'>Words &amp; more</rdf:li>
           </rdf:Alt>
          </dc:description>
          <dc:subject>
           <rdf:Bag>
            <rdf:li>places</rdf:li>
            <rdf:li>Geneva</rdf:li>
            <rdf:li>boat</rdf:li>
           </rdf:Bag>
          </dc:subject>
          <dc:title>
           <rdf:Alt>
            <rdf:li xml:lang='x-default'>The lake</rdf:li>
            <rdf:li xml:lang='de'>Der See</rdf:li>
           </rdf:Alt>
          </dc:title>
         </rdf:Description>

         <rdf:Description rdf:about=''
          xmlns:xmp='http://ns.adobe.com/xap/1.0/'>
          <xmp:Rating>4</xmp:Rating>
         </rdf:Description>
        </rdf:RDF>
        </x:xmpmeta>
        <?xpacket end='w'?>
        """

    /// Apple Photos: three spaces, a description with nested declarations, dates with zones.
    private static let applePhotos = """
        <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="XMP Core 6.0.0">
           <rdf:RDF xmlns:rdf="\(rdf)">
              <rdf:Description rdf:about=""
                    xmlns:dc="http://purl.org/dc/elements/1.1/"
                    xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
                    xmlns:xmp="http://ns.adobe.com/xap/1.0/">
                 <dc:title>
                    <rdf:Alt>
                       <rdf:li xml:lang="x-default">The lake</rdf:li>
                       <rdf:li xml:lang="de">Der See</rdf:li>
                    </rdf:Alt>
                 </dc:title>
                 <dc:description>
                    <rdf:Alt>
                       <rdf:li xml:lang="x-default">Words &amp; more</rdf:li>
                    </rdf:Alt>
                 </dc:description>
                 <dc:subject>
                    <rdf:Seq>
                       <rdf:li>places</rdf:li>
                       <rdf:li>Geneva</rdf:li>
                       <rdf:li>boat</rdf:li>
                    </rdf:Seq>
                 </dc:subject>
                 <photoshop:DateCreated>2014-05-25T10:00:00+02:00</photoshop:DateCreated>
                 <xmp:Rating>4</xmp:Rating>
              </rdf:Description>
           </rdf:RDF>
        </x:xmpmeta>
        <?xpacket end="w"?>

        """

    /// Capture One: tabs, a byte-order mark, several descriptions, an RDF without a wrapper, comments.
    private static let captureOne = """
        \u{FEFF}<?xml version="1.0" encoding="utf-8"?>
        <!-- made by a raw converter -->
        <rdf:RDF xmlns:rdf="\(rdf)">
        \t<rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/">
        \t\t<!-- stars -->
        \t\t<xmp:Rating>4</xmp:Rating>
        \t</rdf:Description>
        \t<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:lightroom="http://ns.adobe.com/lightroom/1.0/">
        \t\t<dc:title><rdf:Alt><rdf:li xml:lang="x-default">The lake</rdf:li><rdf:li xml:lang="de">Der See</rdf:li></rdf:Alt></dc:title>
        \t\t<dc:description><rdf:Alt><rdf:li xml:lang="x-default">Words &amp; more</rdf:li></rdf:Alt></dc:description>
        \t\t<dc:subject>
        \t\t\t<rdf:Bag>
        \t\t\t\t<rdf:li>places</rdf:li>
        \t\t\t\t<rdf:li>Geneva</rdf:li>
        \t\t\t\t<rdf:li>boat</rdf:li>
        \t\t\t</rdf:Bag>
        \t\t</dc:subject>
        \t\t<lightroom:hierarchicalSubject>
        \t\t\t<rdf:Bag>
        \t\t\t\t<rdf:li>places|Geneva</rdf:li>
        \t\t\t\t<rdf:li>boat</rdf:li>
        \t\t\t</rdf:Bag>
        \t\t</lightroom:hierarchicalSubject>
        \t</rdf:Description>
        </rdf:RDF>

        """

    /// ACDSee: categories as a text of XML in an element, a namespace for all elements without a prefix.
    private static let acdSee = """
        <x:xmpmeta xmlns:x="adobe:ns:meta/">
        <RDF xmlns="\(rdf)">
        <Description xmlns:rdf="\(rdf)" rdf:about="" xmlns:acdsee="http://ns.acdsee.com/iptc/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/">
        <acdsee:categories>&lt;Categories&gt;&lt;Category Assigned="0"&gt;places&lt;Category Assigned="1"&gt;Geneva&lt;/Category&gt;&lt;/Category&gt;&lt;Category Assigned="1"&gt;boat&lt;/Category&gt;&lt;/Categories&gt;</acdsee:categories>
        <xmp:Rating>4</xmp:Rating>
        <dc:title><Alt><li xml:lang="x-default">The lake</li><li xml:lang="de">Der See</li></Alt></dc:title>
        <dc:description><Alt><li xml:lang="x-default">Words &amp; more</li></Alt></dc:description>
        <dc:subject><Bag><li>places</li><li>Geneva</li><li>boat</li></Bag></dc:subject>
        </Description></RDF></x:xmpmeta>
        """
}

extension SidecarMaker {
    /// A form in which the text of a sidecar is stored.
    package enum Form: CaseIterable, Sendable {
        case utf8, utf8WithMark, utf16Little, utf16Big, utf16WithoutMark, windows

        /// Returns the bytes of a text.
        package func bytes(_ text: String) -> [UInt8] {
            let plain =
                text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
            switch self {
            case .utf8: return Array(text.utf8)
            case .utf8WithMark: return Array("\u{FEFF}\(plain)".utf8)
            case .utf16Little: return Self.utf16("\u{FEFF}\(plain)", isLittle: true)
            case .utf16Big: return Self.utf16("\u{FEFF}\(plain)", isLittle: false)
            case .utf16WithoutMark: return Self.utf16(plain, isLittle: true)
            case .windows:
                return Array(text.utf8).flatMap { $0 == 0x0A ? [0x0D, 0x0A] : $0 == 0x0D ? [] : [$0] }
            }
        }

        private static func utf16(_ text: String, isLittle: Bool) -> [UInt8] {
            text.utf16.flatMap { unit in
                let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
                return isLittle ? bytes.reversed() : bytes
            }
        }
    }
}
