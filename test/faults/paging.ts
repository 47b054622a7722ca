import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCatalogue, type RoundParts } from '#desk/catalogue/catalogue-round.ts'
import type { ApiOutcome, RowPage } from '#desk/ports/api.ts'
import type { SyncEnd } from '#desk/ports/catalogue-store.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { randomFrom } from '#support/random.ts'
import { GoodsWorld } from './catalogue/goods-world.ts'
import { Killed, MortalFiles } from './catalogue/mortal-files.ts'
import type { Suite } from './suite-report.ts'

const fullCount = 1_000
const hourMs = 3600_000

const noFigures = { schedules: 0, rounds: 0, pages: 0, changes: 0, kills: 0, broken: 0 }
const noFaults = { missing: 0, outdated: 0, left: 0, invented: 0, unfindable: 0, lotsWrong: 0, lost: 0 }
type Figures = typeof noFigures & typeof noFaults

/**
 * Runs random schedules. Rows are created, changed and removed at the service while the desk reads all rows, changed
 * rows or lots. Kills and broken calls interrupt these reads. At the end the catalogue must equal the data of the
 * service, and the search must find each row. After each earlier read, the catalogue may lack an article of the
 * service. If it contains the article, it must contain a version that the service has or had.
 */
export const pagingSuite: Suite = async ({ count, seed }) => {
  const root = await mkdtemp(join(tmpdir(), 'scandesk-paging-'))
  const figures: Figures = { ...noFigures, ...noFaults }
  try {
    const schedules = count ?? fullCount
    for (; figures.schedules < schedules; figures.schedules++)
      await new Schedule(root, randomFrom(seed * 1_000_003 + figures.schedules), figures).run()
  } finally {
    await rm(root, { recursive: true, force: true })
  }
  const faults = Object.keys(noFaults) as (keyof typeof noFaults)[]
  const passed = faults.every((name) => figures[name] === 0) && figures.kills > 0 && figures.changes > 0
  return { suite: 'paging', passed, figures: { ...figures, seed } }
}

class Schedule {
  readonly #root: string
  readonly #random: () => number
  readonly #figures: Figures
  readonly #world = new GoodsWorld()
  /**
   * Probability, from 0 to 0.8, that the data of the service changes before a response. After each change, a further
   * change has the same probability. The probabilities of kills and of broken calls are proportional to this value. It
   * is 0 in the last reads of a schedule, so that they are complete.
   */
  #unrest: number
  #isReadingLots = false

  constructor(root: string, random: () => number, figures: Figures) {
    this.#root = root
    this.#random = random
    this.#figures = figures
    this.#unrest = random() * 0.8
    this.#world.cap = 1 + this.#below(40)
    for (let left = this.#below(160); left > 0; left--) this.#world.makeVariant()
    for (let left = this.#below(80); left > 0; left--) this.#world.makeLot()
    this.#world.changes = 0
  }

  async run(): Promise<void> {
    const files = await MortalFiles.create(this.#root)
    try {
      for (let rounds = 3 + this.#below(8); rounds > 0; rounds--) {
        // Each step advances the clock, by up to 29 hours or by a minute, so that each kind of read becomes due from
        // time to time.
        this.#world.now += this.#below(3) === 0 ? this.#below(30) * hourMs : 60_000
        await this.#round(files)
        this.#judgeRows(files)
      }
      this.#figures.changes += this.#world.changes
      this.#unrest = 0
      await this.#settle(files)
      this.#world.now += 30 * hourMs
      await this.#settle(files)
      this.#judge(files)
      this.#figures.kills += files.kills
      this.#figures.lost += files.lost.length
    } finally {
      await files.end()
    }
  }

  async #settle(files: MortalFiles): Promise<void> {
    for (;;) {
      const end = await this.#round(files)
      if (end?.kind === 'done' && !this.#isReadingLots) return
    }
  }

  async #round(files: MortalFiles): Promise<SyncEnd | null> {
    this.#figures.rounds++
    try {
      const end = await readCatalogue(this.#parts(files))
      files.close()
      return end
    } catch (error) {
      if (!(error instanceof Killed)) throw error
      await files.die()
      return null
    }
  }

  #parts(files: MortalFiles): RoundParts {
    const world = this.#world
    const none = { rows: [], skipped: [] }
    return {
      api: {
        listVariants: (_token, query) => this.#answer(() => world.variantPage(query)),
        listAllBatches: (_token, query) => this.#answer(() => world.lotPage(query)),
        listShippingMethods: () =>
          Promise.resolve({ kind: 'answer', status: 200, value: none, serverDate: world.now }),
        listLocationTypes: () =>
          Promise.resolve({ kind: 'answer', status: 200, value: none, serverDate: world.now }),
      },
      files: files.open(() => this.#mayDie()),
      listener: {
        access: () => Promise.resolve({ ok: true, token: 'token' }),
        progress: () => undefined,
        changed: () => undefined,
        lots: ({ rows }) => void (this.#isReadingLots = rows !== null),
      },
      // The suite uses a test clock, not the clock of this machine.
      now: () => 0,
      ticks: () => world.now,
      fullEveryMs: 24 * hourMs,
      lotsEveryMs: 6 * hourMs,
      isStopped: () => false,
    }
  }

  #answer<Row>(rows: () => Row[]): Promise<ApiOutcome<RowPage<Row>>> {
    this.#figures.pages++
    this.#happen()
    this.#mayDie()
    if (this.#random() < this.#unrest * 0.03) {
      this.#figures.broken++
      return Promise.resolve({ kind: 'ambiguous', status: null, failure: failure('network.timeout') })
    }
    this.#world.now += 500
    const value = { rows: rows(), skipped: [] }
    return Promise.resolve({ kind: 'answer', status: 200, value, serverDate: this.#world.now })
  }

  #happen(): void {
    const world = this.#world
    while (this.#random() < this.#unrest) {
      const which = this.#below(1_000)
      const acts = [
        () => world.makeVariant(),
        () => world.changeVariant(which),
        () => world.changeVariant(which),
        () => world.removeVariant(which),
        () => world.makeLot(),
        () => world.changeLot(which),
        () => world.removeLot(which),
      ]
      acts[this.#below(acts.length)]?.()
    }
  }

  #mayDie(): void {
    if (this.#random() < this.#unrest * 0.02) throw new Killed()
  }

  /**
   * Checks each article that still exists at the service and that the desk shows: the desk must show a version that the
   * article has or had at the service.
   */
  #judgeRows({ reader }: MortalFiles): void {
    for (const { id } of this.#world.variants.values()) {
      const known = reader.variant(id)
      if (known && !this.#world.wasTold(known.variant)) this.#figures.invented++
    }
  }

  #judge({ reader, lots }: MortalFiles): void {
    const { variants } = this.#world
    const figures = this.#figures
    figures.left += Math.abs(reader.state().variants - variants.size)
    for (const row of variants.values()) {
      const known = reader.variant(row.id)
      if (!known) figures.missing++
      else if (JSON.stringify(known.variant) !== JSON.stringify(row)) figures.outdated++
      const [word = ''] = row.name.split(' ')
      const found = [reader.byCode((row.sku ?? '').toUpperCase()), reader.search(word, 500).variants]
      if (found.some((hits) => !hits.some(({ variant }) => variant.id === row.id))) figures.unfindable++
    }
    const kept = new Map(
      [...variants.keys(), ...this.#world.lots.map((lot) => lot.variant.id)].map((id) => [id, 0]),
    )
    const keptLots = [...kept.keys()].flatMap((id) => lots.ofVariant(id)?.lots ?? [])
    const asTold = new Map(this.#world.lots.map((lot) => [lot.id, lot.quantity]))
    const isSame = keptLots.every(({ id, quantity }) => asTold.get(id) === quantity)
    if (!isSame || keptLots.length !== asTold.size || lots.state().count !== asTold.size) figures.lotsWrong++
  }

  #below(most: number): number {
    return Math.floor(this.#random() * most)
  }
}
