/** Calls that are made once for all who ask for the same while one is under way. */
export class SharedCalls<T> {
  readonly #underWay = new Map<string, Promise<T>>()

  /** What the call under way for this key leads to; else begins one. */
  ask(key: string, call: () => Promise<T>): Promise<T> {
    const known = this.#underWay.get(key)
    if (known) return known
    const made = call().finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, made)
    return made
  }
}
