import PortableFoundation

/// Where a telephone number belongs: a country, or a part of one that has its own prices, by the first digits of the number
/// (ITU-T E.164, as assigned in November 2026).
package struct CallingArea: Hashable, Sendable {
    /// The digits that such numbers begin with, without `+`, such as `49` or `1876`: the longest entry of the table that fits.
    package let prefix: String
    /// The ISO 3166 code of the country; nil for satellites, premium and personal numbers, which are never texted.
    package let country: String?
    /// How many digits such numbers have, with the prefix.
    let digits: ClosedRange<Int>

    /// Whether a 0 can follow the prefix: in most countries it is left out behind the code of the country.
    var allowsZero: Bool { ["225", "229", "241", "242", "76", "77"].contains(prefix) || prefix.utf8.count > 3 }

    /// The area of a number.
    ///
    /// - Parameter digits: Without `+`.
    /// - Returns: Nil when no area begins so.
    static func of(_ digits: some StringProtocol) -> CallingArea? {
        (1...longestPrefix).reversed().lazy.compactMap { table[String(digits.prefix($0))] }.first
    }

    /// The area with exactly this prefix.
    package static func named(_ prefix: String) -> CallingArea? { table[prefix] }

    /// The prefixes of all areas that can be texted.
    package static var all: Set<String> { Set(table.values.filter { $0.country != nil }.map(\.prefix)) }

    private static let longestPrefix = 6

    private static let table: [String: CallingArea] = {
        var table: [String: CallingArea] = [:]
        for entry in entries.split(separator: ",") {
            let parts = entry.split { $0.isWhitespace }.map(String.init)
            guard parts.count == 4, let least = Int(parts[2]), let most = Int(parts[3]), least <= most else { continue }
            table[parts[0]] = CallingArea(
                prefix: parts[0], country: parts[1] == "--" ? nil : parts[1], digits: least...most)
        }
        return table
    }()

    /// Prefix, country, and the least and the greatest number of digits of mobile numbers.
    private static let entries = """
        1 US 11 11, 1242 BS 11 11, 1246 BB 11 11, 1264 AI 11 11, 1268 AG 11 11, 1284 VG 11 11, 1340 VI 11 11,
        1345 KY 11 11, 1441 BM 11 11, 1473 GD 11 11, 1649 TC 11 11, 1658 JM 11 11, 1664 MS 11 11, 1670 MP 11 11,
        1671 GU 11 11, 1684 AS 11 11, 1721 SX 11 11, 1758 LC 11 11, 1767 DM 11 11, 1784 VC 11 11, 1787 PR 11 11,
        1809 DO 11 11, 1829 DO 11 11, 1849 DO 11 11, 1868 TT 11 11, 1869 KN 11 11, 1876 JM 11 11, 1900 -- 11 11,
        1939 PR 11 11, 20 EG 12 12, 211 SS 12 12, 212 MA 12 12, 213 DZ 12 12, 216 TN 11 11, 218 LY 12 12,
        220 GM 10 12, 221 SN 12 12, 222 MR 11 11, 223 ML 11 11, 224 GN 12 12, 225 CI 13 13, 226 BF 11 11,
        227 NE 11 11, 228 TG 11 11, 229 BJ 13 13, 230 MU 11 11, 231 LR 10 12, 232 SL 11 11, 233 GH 12 12,
        234 NG 13 13, 235 TD 11 11, 236 CF 11 11, 237 CM 12 12, 238 CV 10 10, 239 ST 10 10, 240 GQ 12 12,
        241 GA 10 11, 242 CG 12 12, 243 CD 10 12, 244 AO 12 12, 245 GW 12 12, 246 IO 10 10, 247 AC 8 8,
        248 SC 10 10, 249 SD 12 12, 250 RW 12 12, 251 ET 12 12, 252 SO 10 12, 253 DJ 11 11, 254 KE 12 12,
        255 TZ 12 12, 256 UG 12 12, 257 BI 11 11, 258 MZ 12 12, 260 ZM 12 12, 261 MG 12 12, 262 RE 12 12,
        263 ZW 12 12, 264 NA 12 12, 265 MW 12 12, 266 LS 11 11, 267 BW 11 11, 268 SZ 11 11, 269 KM 10 10,
        27 ZA 8 11, 290 SH 8 8, 291 ER 10 10, 297 AW 10 10, 298 FO 9 9, 299 GL 9 9, 30 GR 12 12, 31 NL 11 13,
        32 BE 11 11, 33 FR 11 11, 34 ES 11 11, 350 GI 11 11, 351 PT 12 12, 352 LU 12 12, 353 IE 12 12,
        354 IS 10 12, 355 AL 12 12, 356 MT 11 11, 357 CY 11 11, 358 FI 9 13, 359 BG 11 12, 36 HU 11 11,
        370 LT 11 11, 371 LV 11 11, 372 EE 10 11, 373 MD 11 11, 374 AM 11 11, 375 BY 12 12, 376 AD 9 12,
        377 MC 11 12, 378 SM 11 11, 380 UA 12 12, 381 RS 11 13, 382 ME 11 11, 383 XK 11 11, 385 HR 11 12,
        386 SI 11 11, 387 BA 11 12, 389 MK 11 11, 39 IT 11 12, 40 RO 11 11, 41 CH 11 11, 420 CZ 12 12,
        421 SK 12 12, 423 LI 10 12, 43 AT 9 15, 44 GB 12 12, 4470 -- 12 12, 447509 JE 12 12, 447524 IM 12 12,
        447624 IM 12 12, 447781 GG 12 12, 447797 JE 12 12, 447829 JE 12 12, 447839 GG 12 12, 447911 GG 12 12,
        447924 IM 12 12, 447937 JE 12 12, 45 DK 10 10, 46 SE 11 11, 47 NO 10 10, 48 PL 11 11, 49 DE 12 13,
        500 FK 8 8, 501 BZ 10 10, 502 GT 11 11, 503 SV 11 11, 504 HN 11 11, 505 NI 11 11, 506 CR 11 11,
        507 PA 10 11, 508 PM 9 12, 509 HT 11 11, 51 PE 11 11, 52 MX 12 12, 53 CU 10 10, 54 AR 12 13, 55 BR 12 13,
        56 CL 11 11, 57 CO 12 12, 58 VE 12 12, 590 GP 12 12, 591 BO 11 11, 592 GY 10 10, 593 EC 12 12,
        594 GF 12 12, 595 PY 12 12, 596 MQ 12 12, 597 SR 10 10, 598 UY 11 11, 599 CW 10 11, 60 MY 11 12,
        61 AU 11 11, 62 ID 11 14, 63 PH 12 12, 64 NZ 10 12, 65 SG 10 10, 66 TH 11 11, 670 TL 11 11, 672 NF 9 9,
        673 BN 10 10, 674 NR 10 10, 675 PG 11 11, 676 TO 10 10, 677 SB 8 10, 678 VU 10 10, 679 FJ 10 10,
        680 PW 10 10, 681 WF 9 9, 682 CK 8 8, 683 NU 8 10, 685 WS 10 13, 686 KI 11 11, 687 NC 9 9, 688 TV 9 10,
        689 PF 11 11, 690 TK 8 10, 691 FM 10 10, 692 MH 10 10, 7 RU 11 11, 76 KZ 11 11, 77 KZ 11 11, 800 -- 11 11,
        808 -- 11 11, 81 JP 12 12, 82 KR 11 12, 84 VN 11 11, 850 KP 13 13, 852 HK 11 11, 853 MO 11 11,
        855 KH 11 12, 856 LA 12 13, 86 CN 13 13, 870 -- 12 15, 878 -- 15 15, 880 BD 13 13, 881 -- 12 13,
        882 -- 10 15, 883 -- 11 15, 886 TW 12 12, 888 -- 14 14, 90 TR 12 12, 91 IN 12 12, 92 PK 12 12, 93 AF 11 11,
        94 LK 11 11, 95 MM 9 12, 960 MV 10 10, 961 LB 10 11, 962 JO 12 12, 963 SY 12 12, 964 IQ 13 13,
        965 KW 11 11, 966 SA 12 12, 967 YE 12 12, 968 OM 11 11, 970 PS 12 12, 971 AE 12 12, 972 IL 12 12,
        973 BH 11 11, 974 QA 11 11, 975 BT 11 11, 976 MN 11 11, 977 NP 13 13, 979 -- 12 12, 98 IR 12 12,
        992 TJ 12 12, 993 TM 11 11, 994 AZ 12 12, 995 GE 12 12, 996 KG 12 12, 998 UZ 12 12
        """
}
