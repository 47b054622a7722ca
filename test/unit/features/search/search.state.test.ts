import { beforeEach, describe, expect, it, vi } from 'vitest'
import { SearchState } from '#features/search/search.state.svelte.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { sampleVariants } from '#support/memory-desk/catalogue.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'

const nowMs = Date.parse('2026-11-21T14:07:00Z')

let desk: MemoryDesk
let shown: string[]
let codes: string[]
let search: SearchState

function begin(bridge: ScandeskBridge = desk.bridge): SearchState {
  return new SearchState({
    bridge,
    onShow: ({ id }) => shown.push(id),
    onCode: (code) => codes.push(code),
  })
}

/** Main responds to one search after another, each when `answer` is called; `asked` lists the texts. */
function slowly(): { bridge: ScandeskBridge; asked: string[]; answer: () => Promise<void> } {
  const waiting: (() => void)[] = []
  const asked: string[] = []
  const bridge = {
    ...desk.bridge,
    article: {
      ...desk.bridge.article,
      search: async (args: { text: string; limit: number }) => {
        asked.push(args.text)
        await new Promise<void>((resolve) => waiting.push(resolve))
        return desk.bridge.article.search(args)
      },
    },
  }
  return {
    bridge,
    asked,
    answer: async () => {
      waiting.shift()?.()
      await settle()
    },
  }
}

async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0))
}

function names(): string[] {
  return search.list?.articles.map(({ name }) => name) ?? []
}

beforeEach(() => {
  desk = new MemoryDesk({ ...memoryWorld(() => nowMs), variants: sampleVariants(nowMs) })
  shown = []
  codes = []
  search = begin()
})

describe('the search for articles while the operator types', () => {
  it('starts without Enter, and finds the typed words in any order', async () => {
    search.type('blue li')
    expect(desk.calls).toEqual(['article:search'])
    await settle()
    expect(names()).toEqual(['Linen shirt blue M'])
    expect(search.answered).toBe('blue li')
  })

  it('sends one search at a time, and after its result searches only for the newest text', async () => {
    const slow = slowly()
    search = begin(slow.bridge)
    for (const text of ['i', 'is', 'iso']) search.type(text)
    expect(slow.asked).toEqual(['i'])
    await slow.answer()
    expect(names()).toEqual([])
    expect(slow.asked).toEqual(['i', 'iso'])
    await slow.answer()
    expect(names()).toEqual(['Isotonic drink lemon 500 ml'])
    expect(search.asking).toBe(false)
  })

  it('keeps the list until the result for the new text arrives, and empties the list if the text is empty', async () => {
    const slow = slowly()
    search = begin(slow.bridge)
    search.type('oat')
    await slow.answer()
    search.type('oats')
    expect(names()).toEqual(['Oat bar hazelnut 12 pcs'])
    search.type('')
    expect(search.list).toBeNull()
    await slow.answer()
    expect(search.list).toBeNull()
    expect(search.asking).toBe(false)
  })

  it('treats typed groups of digits, such as 8712 3456 7892, as one code', async () => {
    search.type('8712 3456 7892')
    await settle()
    expect(names()).toEqual(['Linen shirt blue M'])
    expect(search.answered).toBe('871234567892')
  })

  it('shows why a search failed, and repeats the search at Enter', async () => {
    desk.world.failures['article:search'] = failure('store.unavailable')
    search.type('oat')
    await settle()
    expect(search.failure?.code).toBe('store.unavailable')
    expect(search.list).toBeNull()
    desk.world.failures = {}
    search.enter()
    await settle()
    expect(search.failure).toBeNull()
    expect(shown).toEqual(['va-1'])
    expect(codes).toEqual([])
  })

  it('shows, while the catalogue is incomplete, that not all articles are stored yet', async () => {
    const { status } = desk.world
    desk.world.status = { ...status, catalogue: { ...status.catalogue, state: 'filling', asOf: null } }
    search.type('oat')
    await settle()
    expect(search.list).toMatchObject({ complete: false, asOf: null })
  })
})

describe('the list of found articles', () => {
  it('opens the marked row at Enter, and the mark does not move beyond the first or the last row', async () => {
    search.type('8712')
    await settle()
    search.move(-1)
    expect(search.active).toBe(0)
    for (let i = 0; i < 9; i++) search.move(1)
    expect(search.active).toBe(2)
    search.enter()
    expect(shown).toEqual(['va-3'])
  })

  it('marks its first row each time a new result arrives', async () => {
    search.type('8712')
    await settle()
    search.move(1)
    search.type('87123')
    await settle()
    expect(search.active).toBe(0)
  })

  it('passes the typed text on as a code at Enter when no article matches', async () => {
    search.type('WEB-100412')
    await settle()
    search.enter()
    expect(codes).toEqual(['WEB-100412'])
    expect(shown).toEqual([])
  })

  it('does nothing at Enter while the text is empty', () => {
    search.type('  ')
    search.enter()
    search.lookUp()
    expect([shown, codes, desk.calls]).toEqual([[], [], []])
  })

  it('opens the only match when Enter was pressed before the result arrived', async () => {
    const slow = slowly()
    search = begin(slow.bridge)
    search.type('8712345678906')
    search.enter()
    expect(shown).toEqual([])
    await slow.answer()
    expect(shown).toEqual(['va-1'])
  })

  it('opens no row when Enter was pressed before a result with several rows arrived', async () => {
    const slow = slowly()
    search = begin(slow.bridge)
    search.type('8712')
    search.enter()
    await slow.answer()
    expect(shown).toEqual([])
    search.enter()
    expect(shown).toEqual(['va-1'])
  })

  it('opens nothing when the text was changed between Enter and the result', async () => {
    const slow = slowly()
    search = begin(slow.bridge)
    search.type('oat')
    search.enter()
    search.type('oa')
    await slow.answer()
    await slow.answer()
    expect(shown).toEqual([])
  })
})

describe('the search for articles when it is opened', () => {
  it('shows the text that was typed last, and repeats the search for it', async () => {
    search.type('oat')
    await settle()
    desk.world.variants = []
    await search.load(null)
    expect(search.text).toBe('oat')
    expect(names()).toEqual([])
  })

  it('searches for a text that the operator typed on another screen', async () => {
    search.type('oat')
    await settle()
    await search.load('linen')
    expect(search.text).toBe('linen')
    expect(names()).toEqual(['Linen shirt blue M'])
  })

  it('shows the next operator no text and no late result of the previous operator', async () => {
    const slow = slowly()
    search = begin(slow.bridge)
    search.type('oat')
    search.reset()
    await slow.answer()
    await vi.waitFor(() => {
      expect(search.asking).toBe(false)
    })
    expect([search.text, search.list]).toEqual(['', null])
  })
})

describe('a command that is scanned in the search', () => {
  it('marks the next row (NEXT; after the last row, the first) or opens the marked row (PRIMARY)', async () => {
    expect(search.run('NEXT')).toBe(false)
    search.type('8712')
    await settle()
    const { length } = names()
    expect(length).toBeGreaterThan(1)
    expect(search.run('NEXT')).toBe(true)
    expect(search.active).toBe(1)
    for (let i = 1; i < length; i++) search.run('NEXT')
    expect(search.active).toBe(0)
    search.run('NEXT')
    expect([search.run('LOST'), search.run('PRIMARY')]).toEqual([false, true])
    expect(shown).toEqual([search.list?.articles[1]?.id])
  })
})
