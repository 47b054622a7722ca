import { beforeEach, describe, expect, it } from 'vitest'
import { ListPlace } from '#place/list-place.svelte.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { Result } from '#shared/errors/result.ts'

interface Row {
  readonly id: string
  readonly mayDrop: boolean
}

interface RowTypes {
  view: { readonly late: readonly Row[]; readonly early: readonly Row[] }
  item: Row
  group: 'early' | 'late'
  step: 'choose' | 'why'
  choice: 'drop' | 'retry'
  echo: 'drop' | 'retry'
}

/**
 * A `ListPlace` with only the features that the tests need: an entry can be discarded, with a reason, or tried again.
 */
class RowsState extends ListPlace<RowTypes> {
  answer: Result<RowTypes['view']> = { ok: true, value: { early: [], late: [] } }
  /** The ids of the entries that the place showed, one for each call of `onShown`; null: it showed no entry. */
  readonly drawn: (string | null)[] = []

  constructor(list: () => RowTypes['view'], sounds: string[]) {
    super({
      play: (sound) => sounds.push(sound),
      list: () => Promise.resolve({ ok: true, value: list() }),
      groupsOf: ({ early, late }) => [
        { name: 'early', items: early },
        { name: 'late', items: late },
      ],
      keyOf: ({ id }) => id,
      choicesOf: ({ mayDrop }) => (mayDrop ? ['drop', 'retry'] : ['retry']),
      choose: 'choose',
    })
  }

  get mayRetryByEnter(): boolean {
    return this.step === 'choose' && this.offers('retry')
  }

  askWhy(): void {
    this.setStep('why')
  }

  async decide({ kind }: { readonly kind: 'drop' | 'retry' }): Promise<void> {
    await this.act(kind, kind === 'retry', () => Promise.resolve(this.answer))
  }

  protected mayAsk(step: RowTypes['step']): boolean {
    return step === 'choose' || this.offers('drop')
  }

  protected override onShown(row: Row | null): void {
    this.drawn.push(row?.id ?? null)
  }
}

function row(id: string, mayDrop = true): Row {
  return { id, mayDrop }
}

let listed: RowTypes['view']
let sounds: string[]
let rows: RowsState

beforeEach(async () => {
  listed = { early: [row('a'), row('b')], late: [row('c')] }
  sounds = []
  rows = new RowsState(() => listed, sounds)
  await rows.load()
})

describe('a list with an open entry', () => {
  describe('the command NEXT', () => {
    it('opens the selected entry, then each following entry of all groups, then the first', () => {
      rows.cursor.point('b')
      const seen = [1, 2, 3, 4].map(() => {
        expect(rows.run('NEXT')).toBe(true)
        return rows.opened?.id
      })
      expect(seen).toEqual(['b', 'c', 'a', 'b'])
    })

    it('opens the first entry if no entry is selected, and opens nothing in an empty list', async () => {
      rows.run('NEXT')
      expect(rows.opened?.id).toBe('a')
      listed = { early: [], late: [] }
      rows.close()
      await rows.load()
      expect(rows.run('NEXT')).toBe(false)
    })

    it('does not leave an entry whose question is open', () => {
      rows.open('a')
      rows.askWhy()
      expect(rows.run('NEXT')).toBe(false)
      expect([rows.opened?.id, rows.step]).toEqual(['a', 'why'])
    })
  })

  describe('the command HOME', () => {
    it('closes the question the first time and the entry the second time, and does nothing if no entry is open', () => {
      rows.open('a')
      rows.askWhy()
      expect(rows.run('HOME')).toBe(true)
      expect([rows.opened?.id, rows.step]).toEqual(['a', 'choose'])
      expect([rows.run('HOME'), rows.opened]).toEqual([true, null])
      expect(rows.run('HOME')).toBe(false)
    })
  })

  describe('a reload of the list', () => {
    it('updates the open entry, and keeps its question open if the question can still be answered', async () => {
      rows.open('a')
      rows.askWhy()
      const newer = row('a')
      listed = { early: [newer], late: [] }
      await rows.load()
      expect([rows.opened, rows.step]).toEqual([newer, 'why'])
      expect(rows.drawn).toEqual(['a', 'a'])
    })

    it('closes a question that can no longer be answered', async () => {
      rows.open('a')
      rows.askWhy()
      listed = { early: [row('a', false)], late: [] }
      await rows.load()
      expect([rows.step, rows.offers('drop')]).toEqual(['choose', false])
    })

    it('keeps the open entry open if the list no longer contains it, but offers no choices for the entry', async () => {
      rows.open('b')
      listed = { early: [row('a')], late: [row('c')] }
      await rows.load()
      expect([rows.opened?.id, rows.gone, rows.offers('retry'), rows.mayRetryByEnter]).toEqual([
        'b',
        true,
        false,
        false,
      ])
      expect(rows.cursor.key).toBe('c')
    })
  })

  describe('a decision about the open entry', () => {
    it('closes the entry and selects the first entry of the returned view', async () => {
      rows.open('b')
      rows.answer = { ok: true, value: { early: [row('a')], late: [row('c')] } }
      await rows.decide({ kind: 'drop' })
      expect([rows.opened, rows.cursor.key, rows.echo, rows.busy]).toEqual([null, 'a', 'drop', false])
      expect(sounds).toEqual(['done'])
      rows.open('c')
      expect(rows.echo).toBeNull()
    })

    it('does not close the entry if the decision is to try again', async () => {
      rows.open('b')
      rows.answer = { ok: true, value: listed }
      await rows.primary()
      expect([rows.opened?.id, rows.cursor.key, rows.echo]).toEqual(['b', 'b', 'retry'])
    })

    it('closes the question, keeps the entry open and shows the reason if the decision fails', async () => {
      rows.open('b')
      rows.askWhy()
      rows.answer = { ok: false, error: failure('store.full') }
      await rows.decide({ kind: 'drop' })
      expect([rows.opened?.id, rows.step, rows.failure?.code, rows.busy]).toEqual([
        'b',
        'choose',
        'store.full',
        false,
      ])
      expect(sounds).toEqual(['stop'])
      rows.open('a')
      expect(rows.failure).toBeNull()
    })

    it('is made only if no other decision is being sent', async () => {
      rows.open('b')
      rows.answer = { ok: true, value: { early: [row('a')], late: [] } }
      await Promise.all([rows.decide({ kind: 'drop' }), rows.decide({ kind: 'retry' })])
      expect([rows.echo, sounds]).toEqual(['drop', ['done']])
    })
  })

  it('the list shows no data after a change of the operator or the station', async () => {
    rows.open('b')
    rows.answer = { ok: true, value: listed }
    await rows.decide({ kind: 'retry' })
    rows.reset()
    expect([rows.view, rows.items, rows.opened, rows.cursor.key, rows.echo]).toEqual([
      null,
      [],
      null,
      null,
      null,
    ])
  })
})
