/** A deterministic sequence of random choices. Every method advances it, except `fork`. */
export interface Random {
  /** Returns a number in [0, 1). */
  next(): number
  /** Returns an integer from `from` to `to`, both included. */
  int(from: number, to: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  /** Returns one of the items, with a probability proportional to its weight. */
  weighted<T>(items: readonly (readonly [T, number])[]): T
  shuffled<T>(items: readonly T[]): T[]
  digits(count: number): string
  /** Returns a UUID in the format of version 4. */
  uuid(): string
  /**
   * Returns another sequence, which depends on the name. Choices from the returned sequence never change the sequence
   * on which `fork` is called.
   */
  fork(name: string): Random
}

/** Returns a well-mixed 32-bit hash of a text (FNV-1a with a finaliser) as the seed of a sequence. */
function hashWord(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x21f0aaad)
  hash = Math.imul(hash ^ (hash >>> 15), 0x735a2d97)
  return (hash ^ (hash >>> 15)) >>> 0
}

/**
 * Returns a small and fast generator of random numbers, based on a counter. It has 128 bits of state, so that the
 * sequences of forks do not overlap.
 */
function words(seedText: string): () => number {
  let [a, b, c, counter] = [
    hashWord(`${seedText}/a`),
    hashWord(`${seedText}/b`),
    hashWord(`${seedText}/c`),
    1,
  ]
  const step = (): number => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  for (let i = 0; i < 12; i++) step()
  return step
}

function first<T>(items: readonly T[]): T {
  const [item] = items
  if (item === undefined) throw new RangeError('the list to pick from is empty')
  return item
}

function uuidOf(word: () => number): string {
  const hex = Array.from({ length: 4 }, () => word().toString(16).padStart(8, '0')).join('')
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) % 4)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
}

/** Creates a sequence from a seed. The same seed gives the same choices on every machine. */
export function makeRandom(seed: number | string): Random {
  const word = words(String(seed))
  const next = (): number => word() / 2 ** 32
  const int = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1))
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: (items) => items[int(0, items.length - 1)] ?? first(items),
    weighted: (items) => {
      let left = next() * items.reduce((sum, [, weight]) => sum + weight, 0)
      const hit = items.find(([, weight]) => (left -= weight) < 0)
      return (hit ?? first(items))[0]
    },
    shuffled: (items) =>
      items
        .map((item) => ({ item, key: next() }))
        .sort((one, other) => one.key - other.key)
        .map(({ item }) => item),
    digits: (count) => Array.from({ length: count }, () => int(0, 9)).join(''),
    uuid: () => uuidOf(word),
    fork: (name) => makeRandom(`${seed}/${name}`),
  }
}
