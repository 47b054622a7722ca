/**
 * The application identifiers of GS1, one a line, in the notation of the GS1 Barcode Syntax Dictionary (release
 * 2026-01-27, © GS1 AISBL and others, Apache License 2.0). Each line contains in this order:
 * - the identifier or a range of identifiers;
 * - flags: `*` needs no separator after it, `?` may be an attribute of a Digital Link, `.` neither;
 * - its components (N digits, X 82 characters, Y 39, Z base64url; optional ones in brackets) with their checks;
 * - the identifiers that it requires, and the identifiers that it excludes;
 * - for a key of a Digital Link: its qualifiers in order.
 */
export const aiTable = String.raw`
00 *? N18,csum,gcppos2 dlpkey
01 *? N14,csum,gcppos2 ex=255,37 dlpkey=22,10,21|235
02 *? N14,csum,gcppos2 ex=01,03 req=37
03 * N14,csum,gcppos2 ex=01,02,37
10 ? X..20 req=01,02,03,8006,8026
11 *? N6,yymmd0 req=01,02,03,8006,8026
12 *? N6,yymmd0 req=8020
13 *? N6,yymmd0 req=01,02,03,8006,8026
15-16 *? N6,yymmd0 req=01,02,03,8006,8026
17 *? N6,yymmd0 req=01,02,03,255,8006,8026
20 *? N2 req=01,02,8006,8026
21 . X..20 req=01,03,8006 ex=235
22 . X..20 req=01
235 . X..28 req=01
240-241 ? X..30 req=01,02,8006,8026
242 ? N..6 req=01,02,8006,8026
243 ? X..20 req=01
250 ? X..30 req=01,8006 req=21
251 ? X..30 req=01,8006
253 ? N13,csum,gcppos1 [X..17] dlpkey
254 . X..20 req=414
255 ? N13,csum,gcppos1 [N..12] dlpkey ex=01,02,415,8006,8020,8026
30 ? N..8 req=01,02
3100-3105 *? N6 req=01,02 ex=310n
3110-3115 *? N6 req=01,02 ex=311n
3120-3125 *? N6 req=01,02 ex=312n
3130-3135 *? N6 req=01,02 ex=313n
3140-3145 *? N6 req=01,02 ex=314n
3150-3155 *? N6 req=01,02 ex=315n
3160-3165 *? N6 req=01,02 ex=316n
3200-3205 *? N6 req=01,02 ex=320n
3210-3215 *? N6 req=01,02 ex=321n
3220-3225 *? N6 req=01,02 ex=322n
3230-3235 *? N6 req=01,02 ex=323n
3240-3245 *? N6 req=01,02 ex=324n
3250-3255 *? N6 req=01,02 ex=325n
3260-3265 *? N6 req=01,02 ex=326n
3270-3275 *? N6 req=01,02 ex=327n
3280-3285 *? N6 req=01,02 ex=328n
3290-3295 *? N6 req=01,02 ex=329n
3300-3305 *? N6 req=00,01 ex=330n
3310-3315 *? N6 req=00,01 ex=331n
3320-3325 *? N6 req=00,01 ex=332n
3330-3335 *? N6 req=00,01 ex=333n
3340-3345 *? N6 req=00,01 ex=334n
3350-3355 *? N6 req=00,01 ex=335n
3360-3365 *? N6 req=00,01 ex=336n
3370-3375 *? N6 req=01 ex=337n
3400-3405 *? N6 req=00,01 ex=340n
3410-3415 *? N6 req=00,01 ex=341n
3420-3425 *? N6 req=00,01 ex=342n
3430-3435 *? N6 req=00,01 ex=343n
3440-3445 *? N6 req=00,01 ex=344n
3450-3455 *? N6 req=00,01 ex=345n
3460-3465 *? N6 req=00,01 ex=346n
3470-3475 *? N6 req=00,01 ex=347n
3480-3485 *? N6 req=00,01 ex=348n
3490-3495 *? N6 req=00,01 ex=349n
3500-3505 *? N6 req=01,02 ex=350n
3510-3515 *? N6 req=01,02 ex=351n
3520-3525 *? N6 req=01,02 ex=352n
3530-3535 *? N6 req=00,01 ex=353n
3540-3545 *? N6 req=00,01 ex=354n
3550-3555 *? N6 req=00,01 ex=355n
3560-3565 *? N6 req=01,02 ex=356n
3570-3575 *? N6 req=01,02 ex=357n
3600-3605 *? N6 req=01,02 ex=360n
3610-3615 *? N6 req=01,02 ex=361n
3620-3625 *? N6 req=00,01 ex=362n
3630-3635 *? N6 req=00,01 ex=363n
3640-3645 *? N6 req=01,02 ex=364n
3650-3655 *? N6 req=01,02 ex=365n
3660-3665 *? N6 req=01,02 ex=366n
3670-3675 *? N6 req=00,01 ex=367n
3680-3685 *? N6 req=00,01 ex=368n
3690-3695 *? N6 req=00,01 ex=369n
37 ? N..8 req=00 req=02,8026
3900-3909 ? N..15 req=255,8020 ex=390n,391n,394n,8111
3910-3919 ? N3,iso4217 N..15 req=8020 ex=391n
3920-3929 ? N..15 req=01 req=30,31nn,32nn,35nn,36nn ex=392n,393n
3930-3939 ? N3,iso4217 N..15 req=30,31nn,32nn,35nn,36nn ex=393n
3940-3943 ? N4 req=255 ex=394n,8111
3950-3955 ? N6 req=30,31nn,32nn,35nn,36nn ex=392n,393n,395n,8005
400 ? X..30
401 ? X..30,gcppos1 dlpkey
402 ? N17,csum,gcppos1 dlpkey
403 ? X..30 req=00
410-413 *? N13,csum,gcppos1
414 *? N13,csum,gcppos1 dlpkey=254|7040
415 *? N13,csum,gcppos1 req=8020 dlpkey=8020
416 *? N13,csum,gcppos1
417 *? N13,csum,gcppos1 dlpkey=7040
420 ? X..20 ex=421
421 ? N3,iso3166 X..9 ex=4307
422 ? N3,iso3166 req=01,02,8006,8026 ex=426
423 ? N3,iso3166 [N3],iso3166 [N3],iso3166 [N3],iso3166 [N3],iso3166 req=01,02 ex=426
424 ? N3,iso3166 req=01,02 ex=426
425 ? N3,iso3166 [N3],iso3166 [N3],iso3166 [N3],iso3166 [N3],iso3166 req=01,02 ex=426
426 ? N3,iso3166 req=01,02
427 ? X..3 req=01,02 req=422
4300-4301 ? X..35,pcenc req=00
4302 ? X..70,pcenc req=00
4303 ? X..70,pcenc req=4302
4304-4306 ? X..70,pcenc req=00
4307 ? X2,iso3166alpha2 req=00
4308 ? X..30 req=00
4309 ? N10,latitude N10,longitude req=00
4310-4311 ? X..35,pcenc req=00
4312 ? X..70,pcenc req=00
4313 ? X..70,pcenc req=4312
4314-4316 ? X..70,pcenc req=00
4317 ? X2,iso3166alpha2 req=00
4318 ? X..20 req=00
4319 ? X..30 req=00
4320 ? X..35,pcenc req=00
4321-4323 ? N1,yesno req=00
4324-4325 ? N6,yymmd0 N4,hhmi req=00
4326 ? N6,yymmdd req=00
4330 ? N6 [X1],hyphen req=00 ex=4331
4331 ? N6 [X1],hyphen req=00 ex=4330
4332 ? N6 [X1],hyphen req=00 ex=4333
4333 ? N6 [X1],hyphen req=00 ex=4332
7001 ? N13 req=01,02,8006,8026
7002 ? X..30 req=01,02
7003 ? N6,yymmdd N4,hhmi req=01,02
7004 ? N..4 req=01+10
7005 ? X..12 req=01,02
7006 ? N6,yymmdd req=01,02
7007 ? N6,yymmdd [N6],yymmdd req=01,02
7008 ? X..3 req=01,02
7009 ? X..10 req=01,02
7010 ? X..2 req=01,02
7011 ? N6,yymmdd [N4],hhmi req=01,02
7020 ? X..20 req=01,8006 req=416
7021 ? X..20 req=01,8006
7022 ? X..20 req=7021
7023 ? X..30,gcppos1
7030-7039 ? N3,iso3166999 X..27 req=01,02
7040 . N1 X1 X1 X1,importeridx
7041 . X..4,packagetype req=00
710-717 ? X..20 req=01
7230-7239 ? X2 X..28 req=01,8004
7240 ? X..20 req=01,8006
7241 ? N2,mediatype req=8017,8018
7242 ? X..25 req=8017,8018
7250 ? N8,yyyymmdd req=8018 ex=7251
7251 ? N8,yyyymmdd N4,hhmi req=8018 ex=7250
7252 ? N1,iso5218 req=8018
7253-7254 ? X..40,pcenc req=8017,8018 ex=7256,7259
7255 ? X..10 req=8017,8018 ex=7256,7259
7256 ? X..90,pcenc req=8017,8018
7257 ? X..70,pcenc req=8018
7258 ? X3,posinseqslash req=8018+7259
7259 ? X..40,pcenc req=8018 ex=7256
8001 ? N4,nonzero N5,nonzero N3,nonzero N1,winding N1 req=01
8002 ? X..20
8003 ? N1,zero N13,csum,gcppos1 [X..16] dlpkey
8004 ? X..30,gcppos1 dlpkey=7040
8005 ? N6 req=01,02
8006 ? N14,csum,gcppos2 N4,pieceoftotal ex=01,37 dlpkey=22,10,21
8007 ? X..34,iban req=415
8008 ? N6,yymmdd N2,hh [N2],mi [N2],ss req=01,02
8009 ? X..50 req=00,01
8010 ? Y..30,gcppos1 dlpkey=8011
8011 . N..12,nozeroprefix req=8010
8012 ? X..20 req=01,8006
8013 ? X..25,csumalpha,gcppos1 dlpkey
8014 . X..25,csumalpha,gcppos1,hasnondigit req=01
8017 ? N18,csum,gcppos1 ex=8018 dlpkey=8019
8018 ? N18,csum,gcppos1 ex=8017 dlpkey=8019
8019 . N..10 req=8017,8018
8020 . X..25 req=415
8026 ? N14,csum,gcppos2 N4,pieceoftotal req=37 ex=02,8006
8030 ? Z..90 req=00,01+21,253,255,8003,8004,8006+21,8010+8011,8017,8018
8040 . N15 req=01+21
8041 . N15 req=01+21+8040
8042 . N32 req=01+21+8040
8043 . N18 [N..2] req=01+21+8040
8110 ? X..70,couponcode
8111 ? N4 req=255
8112 ? X..70,couponposoffer
8200 . X..70 req=01
90 ? X..30
91-99 ? X..90
`

/**
 * The characters that a component may contain. `N`: digits; `X`: the 82 characters of GS1; `Y`: the 39 characters of
 * GS1 part numbers; `Z`: base64url with padding.
 */
export type CharacterSet = 'N' | 'X' | 'Y' | 'Z'

export interface AiComponent {
  readonly set: CharacterSet
  readonly least: number
  readonly most: number
  readonly isOptional: boolean
  /** The names of the checks that this part of the identifier's value must pass, as in `aiTable`. */
  readonly checks: readonly string[]
}

/** Identifiers that must occur together; an `n` is any digit. */
type Group = readonly string[]

export interface AiSpec {
  readonly ai: string
  readonly needsSeparator: boolean
  readonly mayBeAttribute: boolean
  readonly components: readonly AiComponent[]
  /**
   * The conditions for the other identifiers in the message. Each condition is a list of groups, and the message must
   * contain all identifiers of at least one of these groups.
   */
  readonly required: readonly (readonly Group[])[]
  readonly excluded: readonly string[]
  /**
   * The lists of qualifiers that may follow this key in a Digital Link. Only the qualifiers of one list may follow, in
   * the order of that list. Null: the identifier is no key.
   */
  readonly qualifiers: readonly (readonly string[])[] | null
}

const specs: ReadonlyMap<string, AiSpec> = new Map(
  aiTable
    .trim()
    .split('\n')
    .flatMap((row) => specsOf(row))
    .map((spec) => [spec.ai, spec]),
)

/** Returns the rules of an identifier; null if GS1 has no such identifier (General Specifications, 3.2). */
export function specOf(ai: string): AiSpec | null {
  return specs.get(ai) ?? null
}

/** Returns the identifier at this position of a text. No identifier is the beginning of another identifier. */
export function specAt(text: string, at: number): AiSpec | null {
  for (const length of [2, 3, 4]) {
    const spec = specs.get(text.slice(at, at + length))
    if (spec) return spec
  }
  return null
}

/** Whether an identifier matches a pattern such as `31nn`. */
export function isOf(ai: string, pattern: string): boolean {
  return (
    ai.length === pattern.length && Array.from(pattern).every((sign, at) => sign === 'n' || sign === ai[at])
  )
}

function specsOf(row: string): AiSpec[] {
  const [range = '', flags = '', ...words] = row.split(' ')
  const valuesOf = (name: string): string[] =>
    words.filter((word) => word.startsWith(`${name}=`)).map((word) => word.slice(name.length + 1))
  const key = words.find((word) => word.startsWith('dlpkey'))
  const spec = {
    needsSeparator: !flags.includes('*'),
    mayBeAttribute: flags.includes('?'),
    components: words.filter((word) => /^\[?[NXYZ]/.test(word)).map(componentOf),
    required: valuesOf('req').map((groups) => groups.split(',').map((group) => group.split('+'))),
    excluded: valuesOf('ex').flatMap((patterns) => patterns.split(',')),
    qualifiers:
      key === undefined
        ? null
        : (valuesOf('dlpkey')[0]
            ?.split('|')
            .map((way) => way.split(',')) ?? []),
  }
  return identifiersOf(range).map((ai) => ({ ai, ...spec }))
}

function identifiersOf(range: string): string[] {
  const [first = '', last = first] = range.split('-')
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) =>
    String(Number(first) + at).padStart(first.length, '0'),
  )
}

function componentOf(word: string): AiComponent {
  const [type = '', ...checks] = word.replaceAll(/[[\]]/g, '').split(',')
  const most = Number(type.replace(/^[NXYZ](\.\.)?/, ''))
  return {
    set: setOf(type),
    least: type.includes('..') ? 1 : most,
    most,
    isOptional: word.startsWith('['),
    checks,
  }
}

function setOf(type: string): CharacterSet {
  const set = type[0]
  return set === 'X' || set === 'Y' || set === 'Z' ? set : 'N'
}
