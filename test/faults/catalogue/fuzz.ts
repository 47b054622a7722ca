type Random = () => number
type Row = Record<string, unknown>

const below = (random: Random, most: number): number => Math.floor(random() * most)

/** Values that are not valid in most fields. */
const oddities: readonly ((random: Random) => unknown)[] = [
  () => null,
  () => undefined,
  () => 0,
  () => -1,
  () => 1e308,
  () => 1.5,
  () => true,
  () => '',
  () => '\0',
  () => '\ud800 half a pair',
  () => "'; DROP TABLE variants; --",
  () => 'NaN',
  () => '2026-13-45T99:99:99Z',
  () => '0000-00-00',
  () => [],
  () => ({}),
  () => [[[[]]]],
  () => ({ id: null, name: { toString: 'no' } }),
  (random) => 'x'.repeat(below(random, 20_000)),
  (random) => String.fromCodePoint(...Array.from({ length: 8 }, () => below(random, 0xd7ff))),
]

/**
 * Returns a row with up to three wrong fields, or in one of ten cases a value that is not a row. The product may still
 * be able to read the row.
 */
export function spoiltRow(row: Row, random: Random): unknown {
  if (random() < 0.1) return [null, 7, 'row', [], {}, [row]][below(random, 6)]
  const spoilt: Row = { ...row }
  const names = Object.keys(row)
  for (let left = 1 + below(random, 3); left > 0; left--) {
    const name = names[below(random, names.length)]
    // Usually leaves the id unchanged, so that most spoilt rows still have a valid id.
    if (name === undefined || (name === 'id' && random() < 0.8)) continue
    if (random() < 0.2) spoilt[`${name}_`] = spoilt[name]
    spoilt[name] = oddities[below(random, oddities.length)]?.(random)
  }
  return spoilt
}

/** Returns a damaged response body. */
export function spoiltBody(body: string, random: Random): string | Buffer {
  const at = below(random, body.length)
  const ways: readonly (() => string | Buffer)[] = [
    () => body.slice(0, at),
    () => `${body.slice(0, at)}\0${body.slice(at)}`,
    () => `${body.slice(0, at)}${body.slice(at + 1)}`,
    () => `${body},`,
    () => `<html>${body}</html>`,
    () => `{"rows":${body}}`,
    () => 'null',
    () => '',
    () => '"[]"',
    () => '['.repeat(50_000),
    () => Buffer.concat([Buffer.from(body.slice(0, at)), Buffer.from([0xff, 0xfe, 0xc3])]),
    () => `\ufeff${body}`,
  ]
  return ways[below(random, ways.length)]?.() ?? ''
}
