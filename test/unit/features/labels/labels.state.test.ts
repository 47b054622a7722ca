import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { keyOfEntry, LabelsState } from '#features/labels/labels.state.svelte.ts'
import { MethodChoice } from '#features/labels/method-choice.svelte.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { openLabel, sampleEntries } from '#support/memory-desk/labels.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'

const nowMs = Date.parse('2026-11-21T14:07:00Z')

let desk: MemoryDesk
let shown: string[]
let isShown: boolean
let labels: LabelsState

function searches(): number {
  return desk.calls.filter((call) => call === 'returnLabel:search').length
}

function begin(bridge: ScandeskBridge = desk.bridge): void {
  labels = new LabelsState({ bridge, isShown: () => isShown, onShow: (id) => shown.push(id) })
}

beforeEach(() => {
  vi.useFakeTimers()
  desk = new MemoryDesk({
    ...memoryWorld(() => nowMs),
    labels: [openLabel(nowMs)],
    serviceLabels: sampleEntries(nowMs, 260),
  })
  shown = []
  isShown = true
  begin()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('LabelsState', () => {
  it('shows the newest two hundred labels, and the number of labels that are left out', async () => {
    await labels.load()
    expect(labels.lines).toHaveLength(200)
    expect(labels.lines[0]?.labelId).toBe('lb-1')
    expect(labels.beyond).toBe(61)
  })

  it('searches after a pause in typing, and ignores accents', async () => {
    for (const text of ['g', 'gr', 'gro', 'grossmann']) labels.type(text)
    expect(searches()).toBe(0)
    await vi.advanceTimersByTimeAsync(200)
    expect(searches()).toBe(1)
    expect(new Set(labels.lines.map(({ senderName }) => senderName))).toEqual(new Set(['Bäckerei Großmann']))
  })

  it('searches for the typed text at once when Enter is pressed', async () => {
    await labels.load()
    const [first] = labels.lines
    labels.type('grossmann')
    expect(labels.lines[0]).toBe(first)
    expect(await labels.isAnswered()).toBe(true)
    expect(labels.lines[0]?.senderName).toBe('Bäckerei Großmann')
    expect(searches()).toBe(2)
    await vi.advanceTimersByTimeAsync(200)
    expect(searches()).toBe(2)
  })

  it('still accepts Enter after a label could not be opened', async () => {
    labels.type('grossmann')
    await labels.load()
    const [entry] = labels.lines
    if (!entry?.serverId) throw new Error('no label of the service')
    desk.world.failures['returnLabel:open'] = failure('network.offline')
    await labels.open(entry)
    expect(labels.failure).not.toBeNull()
    expect(await labels.isAnswered()).toBe(true)
  })

  it('ignores an Enter if the text is changed before the search has ended', async () => {
    labels.type('gross')
    const isAnswered = labels.isAnswered()
    labels.type('grossmann')
    expect(await isAnswered).toBe(false)
  })

  it('shows the result of the last search even if the result of an earlier search arrives later', async () => {
    const answers: (() => void)[] = []
    const { returnLabel } = desk.bridge
    begin({
      ...desk.bridge,
      returnLabel: {
        ...returnLabel,
        search: async (args) => {
          await new Promise<void>((resolve) => answers.push(resolve))
          return returnLabel.search(args)
        },
      },
    })
    const first = labels.load()
    labels.type('RL-8840')
    await vi.advanceTimersByTimeAsync(200)
    answers[1]?.()
    await vi.advanceTimersByTimeAsync(0)
    answers[0]?.()
    await first
    expect(labels.lines.map(({ externalReference }) => externalReference)).toEqual(['RL-8840.R'])
    expect(labels.searching).toBe(false)
  })

  it('still shows the previous labels when a search fails', async () => {
    await labels.load()
    desk.world.failures['returnLabel:search'] = failure('store.unavailable')
    await labels.load()
    expect(labels.failure?.code).toBe('store.unavailable')
    expect(labels.lines).toHaveLength(200)
  })

  it('opens a label of this desk without a call to main, and a label of another desk after main has stored it', async () => {
    await labels.load()
    const [ours, theirs] = labels.lines
    if (!ours || !theirs) throw new Error('the list is empty')
    await labels.open(ours)
    expect(desk.calls).not.toContain('returnLabel:open')
    await labels.open(theirs)
    expect(shown).toEqual(['lb-1', 'lb-memory-1'])
    expect(desk.world.labels[0]).toMatchObject({ origin: 'service', requested: true })
  })

  it('shows the reason when a label cannot be opened, and the list of labels stays open', async () => {
    await labels.load()
    desk.world.failures['returnLabel:open'] = failure('network.offline')
    const theirs = labels.lines[1]
    if (theirs) await labels.open(theirs)
    expect(labels.failure?.code).toBe('network.offline')
    expect(shown).toEqual([])
  })
})

describe('a label of another desk that is read slowly', () => {
  let end: () => void
  /** Ends the reads that the test holds back, in the order in which they began. */
  let ends: (() => void)[]

  /** Begins to open the label. The read ends when the returned promise is awaited after `end`. */
  async function beginToOpen(): Promise<{ readonly opened: Promise<void> }> {
    const { returnLabel } = desk.bridge
    const read: typeof returnLabel.open = async (args) => {
      await new Promise<void>((resolve) => ends.push((end = resolve)))
      return returnLabel.open(args)
    }
    ends = []
    begin({ ...desk.bridge, returnLabel: { ...returnLabel, open: read } })
    await labels.load()
    const theirs = labels.lines[1]
    if (!theirs) throw new Error('the list is empty')
    return { opened: labels.open(theirs) }
  }

  it('is not shown after the operator has left the list', async () => {
    const { opened } = await beginToOpen()
    isShown = false
    end()
    await opened
    expect([shown, labels.opening]).toEqual([[], null])
  })

  it('is not shown after the operator has left the list and opened it again', async () => {
    const { opened } = await beginToOpen()
    labels.visit()
    end()
    await opened
    expect([shown, labels.opening]).toEqual([[], null])
  })

  it.each(['visit', 'reset'] as const)(
    'does not prevent another label from being opened after the call %s() of the list',
    async (again) => {
      const { opened } = await beginToOpen()
      labels[again]()
      expect(labels.opening).toBeNull()
      await labels.load()
      const other = labels.lines[3]
      if (!other) throw new Error('the list is empty')
      const otherOpened = labels.open(other)
      expect(ends).toHaveLength(2)
      ends[0]?.()
      await opened
      expect([shown, labels.opening]).toEqual([[], keyOfEntry(other)])
      ends[1]?.()
      await otherOpened
      expect([shown.length, labels.opening]).toEqual([1, null])
    },
  )

  it('shows no failure of its read if the operator has changed during the read', async () => {
    const { opened } = await beginToOpen()
    desk.world.failures['returnLabel:open'] = failure('network.offline')
    labels.reset()
    end()
    await opened
    expect(labels.failure).toBeNull()
  })

  it('is shown while the list is open', async () => {
    const { opened } = await beginToOpen()
    end()
    await opened
    expect(shown).toEqual(['lb-memory-1'])
  })
})

describe('MethodChoice', () => {
  it('filters the methods by words, which may be in any order and in upper or lower case', async () => {
    const choice = new MethodChoice(desk.bridge)
    await choice.load()
    expect(choice.found.map(({ shipper }) => shipper)).toEqual([
      'DHL',
      'DHL',
      'DPD',
      'PostNL',
      'PostNL',
      'UPS',
    ])
    choice.filter = 'CONNECT dhl ret'
    expect(choice.found.map(({ id }) => id)).toEqual(['sm-4'])
    choice.filter = 'nothing'
    expect(choice.found).toEqual([])
  })
})

describe('the selected label of LabelsState', () => {
  it('is replaced at NEXT by the next label, or by the first one at the end of the list, and is opened at PRIMARY', async () => {
    desk.world.serviceLabels = sampleEntries(nowMs, 1)
    await labels.load()
    expect([labels.cursor.key, labels.run('PRIMARY')]).toEqual([null, false])
    const selected: (string | null)[] = []
    for (let i = 0; i < 3; i++) {
      labels.run('NEXT')
      selected.push(labels.cursor.key)
    }
    const keys = labels.lines.map(keyOfEntry)
    expect(keys).toHaveLength(2)
    expect(selected).toEqual([...keys, keys[0]])
    expect([labels.run('PRIMARY'), shown]).toEqual([true, ['lb-1']])
  })

  it('is the first label if NEXT is scanned before the list has loaded, and is unset when the list loads again', async () => {
    const read = labels.load()
    expect(labels.run('NEXT')).toBe(true)
    await read
    expect(labels.cursor.key).toBe('lb-1')
    await labels.load()
    expect(labels.cursor.key).toBeNull()
    desk.world.labels = []
    desk.world.serviceLabels = []
    await labels.load()
    expect(labels.run('NEXT')).toBe(false)
  })
})
