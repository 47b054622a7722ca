import { hasValidCheckDigit } from '../gtin.ts'
import { countryCodes } from '../country.ts'
import { dateOf, daysOf } from './dates.ts'

/**
 * Code lists of other organisations to which elements of GS1 messages refer, as in the GS1 Barcode Syntax Dictionary
 * (release 2026-01-27, Apache License 2.0). A code that is assigned later is refused until it is added here.
 */
function codes(text: string): ReadonlySet<string> {
  return new Set(text.split(' '))
}

/** ISO 3166-1: the assigned three-digit codes of countries. */
export const countryNumbers: ReadonlySet<string> = codes(
  '004 008 010 012 016 020 024 028 031 032 036 040 044 048 050 051 052 056 060 064 068 070 072 074 076 084 086 ' +
    '090 092 096 100 104 108 112 116 120 124 132 136 140 144 148 152 156 158 162 166 170 174 175 178 180 184 188 ' +
    '191 192 196 203 204 208 212 214 218 222 226 231 232 233 234 238 239 242 246 248 250 254 258 260 262 266 268 ' +
    '270 275 276 288 292 296 300 304 308 312 316 320 324 328 332 334 336 340 344 348 352 356 360 364 368 372 376 ' +
    '380 384 388 392 398 400 404 408 410 414 417 418 422 426 428 430 434 438 440 442 446 450 454 458 462 466 470 ' +
    '474 478 480 484 492 496 498 499 500 504 508 512 516 520 524 528 531 533 534 535 540 548 554 558 562 566 570 ' +
    '574 578 580 581 583 584 585 586 591 598 600 604 608 612 616 620 624 626 630 634 638 642 643 646 652 654 659 ' +
    '660 662 663 666 670 674 678 682 686 688 690 694 702 703 704 705 706 710 716 724 728 729 732 740 744 748 752 ' +
    '756 760 762 764 768 772 776 780 784 788 792 795 796 798 800 804 807 818 826 831 832 833 834 840 850 854 858 ' +
    '860 862 876 882 887 894',
)

/** ISO 4217: the three-digit codes of currencies. */
export const currencyNumbers: ReadonlySet<string> = codes(
  '008 012 032 036 044 048 050 051 052 060 064 068 072 084 090 096 104 108 116 124 132 136 144 152 156 170 174 ' +
    '188 192 203 208 214 222 230 232 238 242 262 270 292 320 324 328 332 340 344 348 352 356 360 364 368 376 388 ' +
    '392 396 398 400 404 408 410 414 417 418 422 426 430 434 446 454 458 462 480 484 496 498 504 512 516 524 532 ' +
    '533 548 554 558 566 578 586 590 598 600 604 608 634 643 646 654 682 690 702 704 706 710 728 748 752 756 760 ' +
    '764 776 780 784 788 800 807 818 826 834 840 858 860 882 886 901 924 925 926 927 928 929 930 933 934 936 938 ' +
    '940 941 943 944 946 947 948 949 950 951 952 953 955 956 957 958 959 960 961 962 963 964 965 967 968 969 970 ' +
    '971 972 973 975 976 977 978 979 980 981 984 985 986 990 994 997 999',
)

/** Package types: UN/ECE Recommendation 21 with the codes that GS1 adds. */
export const packageTypes: ReadonlySet<string> = codes(
  '1A 1B 1D 1F 1G 1W 200 201 202 203 204 205 206 210 211 212 2C 3A 3H 43 44 4A 4B 4C 4D 4F 4G 4H 5H 5L 5M 6H 6P ' +
    '7A 7B 8 8A 8B 8C 9 AA AB AC AD AF AG AH AI AJ AL AM AP APE AT AV B4 BB BC BD BE BF BG BGE BH BI BJ BK BL BM ' +
    'BME BN BO BP BQ BR BRI BS BT BU BV BW BX BY BZ CA CB CBL CC CCE CD CE CF CG CH CI CJ CK CL CM CN CO CP CQ CR ' +
    'CS CT CU CV CW CX CY CZ DA DB DC DG DH DI DJ DK DL DM DN DP DPE DR DS DT DU DV DW DX DY E1 E2 E3 EC ED EE EF ' +
    'EG EH EI EN FB FC FD FE FI FL FO FOB FP FPE FR FT FW FX GB GI GL GR GU GY GZ HA HB HC HG HN HR IA IB IC ID ' +
    'IE IF IG IH IK IL IN IZ JB JC JG JR JT JY KG KI LAB LE LG LT LU LV LZ MA MB MC ME MPE MR MS MT MW MX NA NE ' +
    'NF NG NS NT NU NV OA OB OC OD OE OF OK OPE OT OU P2 PA PAE PB PC PD PE PF PG PH PI PJ PK PL PLP PN PO POP PP ' +
    'PPE PR PT PU PUE PV PX PY PZ QA QB QC QD QF QG QH QJ QK QL QM QN QP QQ QR QS RB1 RB2 RB3 RCB RD RG RJ RK RL ' +
    'RO RT RZ S1 SA SB SC SD SE SEC SH SI SK SL SM SO SP SS ST STL SU SV SW SX SY SZ T1 TB TC TD TE TEV TG THE TI ' +
    'TK TL TN TO TR TRE TS TT TTE TU TV TW TWE TY TZ UC UN UUE VA VG VI VK VL VN VO VP VQ VR VS VY WA WB WC WD WF ' +
    'WG WH WJ WK WL WM WN WP WQ WR WRP WS WT WU WV WW WX WY WZ X11 X12 X15 X16 X17 X18 X19 X20 X3 XA XB XC XD XF ' +
    'XG XH XJ XK YA YB YC YD YF YG YH YJ YK YL YM YN YP YQ YR YS YT YV YW YX YY YZ ZA ZB ZC ZD ZF ZG ZH ZJ ZK ZL ' +
    'ZM ZN ZP ZQ ZR ZS ZT ZU ZV ZW ZX ZY ZZ',
)

/** The 82 characters of GS1 (General Specifications, fig. 7.11-1), in the order of their values. */
const values = '!"%&\'()*+,-./0123456789:;<=>?ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'
/** The 32 characters of check pairs. */
const pairs = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
/** Weights for the check pair, from the right: the primes from 2 on. */
const primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83]
const modulus = 1021

/**
 * Whether the last two characters are the check pair of the characters before them (General Specifications, 7.9.5: GMN
 * and the like).
 */
export function hasValidCheckPair(text: string): boolean {
  const body = text.slice(0, -2)
  if (body === '' || body.length > primes.length) return false
  let sum = 0
  for (const [at, sign] of Array.from(body).reverse().entries()) {
    const value = values.indexOf(sign)
    if (value < 0) return false
    sum += value * (primes[at] ?? 0)
  }
  const rest = sum % modulus
  return text.slice(-2) === `${pairs[rest >> 5] ?? ''}${pairs[rest & 31] ?? ''}`
}

/** The kind of fault in an element of a GS1 message. */
export type ComponentFault = 'check_digit' | 'date' | 'time' | 'value'

type Check = (text: string, currentYear: number) => ComponentFault | null

const rule =
  (fault: ComponentFault, holds: (text: string, currentYear: number) => boolean): Check =>
  (text, currentYear) =>
    holds(text, currentYear) ? null : fault

const below = (limit: number): Check => rule('time', (text) => Number(text) < limit)
const matching = (pattern: RegExp): Check => rule('value', (text) => pattern.test(text))

/** Whether part `p` and total `t` fit: both positive, and `p` at most `t`. */
function isPartOf(part: string, total: string): boolean {
  return Number(part) > 0 && Number(part) <= Number(total)
}

const oneOf = (list: ReadonlySet<string>): Check => rule('value', (text) => list.has(text))

/**
 * The checks of components, by their names in `aiTable`. There is no check with the name `couponcode`, so only the
 * length and the characters of such a component are checked.
 */
const checks: Readonly<Record<string, Check>> = {
  csum: rule('check_digit', hasValidCheckDigit),
  csumalpha: rule('check_digit', hasValidCheckPair),
  // a company prefix has at least four digits
  gcppos1: matching(/^\d{4}/),
  gcppos2: matching(/^.\d{4}/),
  yymmdd: rule('date', (text, year) => !text.endsWith('00') && dateOf(text, year) !== null),
  yymmd0: rule('date', (text, year) => dateOf(text, year) !== null),
  yyyymmdd: rule('date', (text) => isWholeDate(text)),
  hh: below(24),
  mi: below(60),
  ss: below(60),
  hhmi: rule('time', (text) => /^([01]\d|2[0-3])[0-5]\d$/.test(text)),
  latitude: rule('value', (text) => Number(text) <= 1_800_000_000),
  longitude: rule('value', (text) => Number(text) <= 3_600_000_000),
  yesno: matching(/^[01]$/),
  zero: matching(/^0+$/),
  nonzero: matching(/[1-9]/),
  nozeroprefix: matching(/^(0$|[^0])/),
  hasnondigit: matching(/\D/),
  hyphen: matching(/^-+$/),
  winding: matching(/^[019]$/),
  iso5218: matching(/^[0129]$/),
  mediatype: matching(/^(0[1-9]|10|[89]\d)$/),
  importeridx: matching(/^[-0-9A-Z_a-z]$/),
  pcenc: matching(/^([^%]|%[0-9A-Fa-f]{2})*$/),
  pieceoftotal: rule('value', (text) =>
    isPartOf(text.slice(0, text.length / 2), text.slice(text.length / 2)),
  ),
  posinseqslash: rule('value', (text) => {
    const [part = '', total = '', more] = text.split('/')
    return /^\d+\/\d+$/.test(text) && more === undefined && isPartOf(part, total)
  }),
  iso3166: oneOf(countryNumbers),
  // the code 999 means several countries
  iso3166999: oneOf(new Set([...countryNumbers, '999'])),
  iso3166alpha2: oneOf(new Set(countryCodes)),
  iso4217: oneOf(currencyNumbers),
  packagetype: oneOf(packageTypes),
  iban: rule('check_digit', isIban),
  couponposoffer: rule('value', isPositiveOffer),
}

export function componentFault(check: string, text: string, currentYear: number): ComponentFault | null {
  return checks[check]?.(text, currentYear) ?? null
}

function isWholeDate(text: string): boolean {
  const [year, month, day] = [text.slice(0, 4), text.slice(4, 6), text.slice(6, 8)].map(Number)
  return day !== undefined && day > 0 && day <= daysOf(year ?? 0, month ?? 0)
}

/** Whether a text is an IBAN (ISO 13616): letters count from 10, and the whole number modulo 97 is 1. */
function isIban(text: string): boolean {
  if (!/^[A-Z]{2}\d{2}[0-9A-Z]+$/.test(text)) return false
  let rest = 0
  for (const sign of text.slice(4) + text.slice(0, 4))
    for (const digit of String(parseInt(sign, 36))) rest = (rest * 10 + Number(digit)) % 97
  return rest === 1
}

/**
 * Whether a text is a positive offer: format, funder, offer code of six digits, serial number. The funder and the
 * serial number each begin with a digit. The number of digits that follow it is six plus the value of this digit.
 */
function isPositiveOffer(text: string): boolean {
  if (!/^[01]\d+$/.test(text)) return false
  const serialAt = 2 + 6 + Number(text[1]) + 6
  return Number(text[1]) <= 6 && text.length === serialAt + 1 + 6 + Number(text[serialAt])
}
