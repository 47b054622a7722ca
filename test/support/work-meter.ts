/** Methods through which a reading looks at text, and how much of it each one looks at at most. */
const looks = {
  slice: (_: string, result: unknown) => String(result).length,
  charAt: () => 1,
  at: () => 1,
  charCodeAt: () => 1,
  startsWith: () => 4,
  trim: (text: string) => text.length,
  split: (text: string) => text.length,
  toUpperCase: (text: string) => text.length,
  replace: (text: string) => text.length,
  replaceAll: (text: string) => text.length,
  padStart: (_: string, result: unknown) => String(result).length,
} as const

type Cost = (text: string, result: unknown) => number

/** One that looks for the next match goes on where it stopped; any other looks at the whole text once. */
function scanned({ global, sticky, lastIndex }: RegExp, text: string, from: number): number {
  if (!global && !sticky) return text.length
  return (lastIndex === 0 ? text.length : lastIndex) - from
}

/**
 * Characters that an act looks at, by the methods of strings and the patterns that it runs: a measure of its work that
 * no load on the machine changes. A pattern counts as one look at its whole text.
 */
export function charactersLookedAt(act: () => void): number {
  let count = 0
  const undo: (() => void)[] = []
  const wrap = (target: object, name: string, cost: Cost): void => {
    const before: unknown = Reflect.get(target, name)
    if (typeof before !== 'function') throw new Error(`no method ${name}`)
    undo.push(() => void Reflect.set(target, name, before))
    Reflect.set(target, name, function counted(this: unknown, ...args: unknown[]): unknown {
      const from = this instanceof RegExp ? this.lastIndex : 0
      const result: unknown = Reflect.apply(before, this, args)
      count += this instanceof RegExp ? scanned(this, String(args[0]), from) : cost(String(this), result)
      return result
    })
  }
  for (const [name, cost] of Object.entries(looks)) wrap(String.prototype, name, cost)
  wrap(RegExp.prototype, 'exec', () => 0)
  wrap(RegExp.prototype, 'test', () => 0)
  try {
    act()
  } finally {
    for (const one of undo) one()
  }
  return count
}
