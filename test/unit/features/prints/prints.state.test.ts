import { beforeEach, describe, expect, it } from 'vitest'
import { PrintsState } from '#features/prints/prints.state.svelte.ts'
import { contract, type ScandeskBridge } from '#shared/bridge/contract.ts'
import type { PrintLine } from '#shared/bridge/print-views.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'
import {
  heldPrint,
  labelFolder,
  paperPrint,
  printsOf,
  refusedPrint,
  samplePage,
  samplePreview,
  samplePrint,
  unknownPrint,
} from '#support/memory-desk/prints.ts'

const now = Date.parse('2026-11-21T14:07:00Z')
const unreadable = { kind: 'nothing_readable' } as const

let desk: MemoryDesk
let sounds: string[]
let shown: string[]
let prints: PrintsState
let clockMs = now

function begin(bridge: ScandeskBridge = desk.bridge): void {
  prints = new PrintsState({
    bridge,
    play: (sound) => sounds.push(sound),
    onLabel: (labelId) => shown.push(labelId),
    nowMs: () => clockMs,
  })
}

async function list(open: PrintLine[], notScanned: PrintLine[] = []): Promise<void> {
  desk.world.prints = printsOf(open, notScanned)
  await prints.load()
}

async function show(line: PrintLine): Promise<void> {
  const isPaper = line.state === 'sent' || line.state === 'confirmed'
  await (isPaper ? list([], [line]) : list([line]))
  prints.open(line.jobId)
}

function decisions(): unknown[] {
  return desk.world.printsDecided.map(({ decision }) => decision)
}

/** Lets every call to the desk in memory answer. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0))
}

beforeEach(() => {
  desk = new MemoryDesk(memoryWorld(() => now))
  sounds = []
  shown = []
  begin()
})

describe('the list', () => {
  it('has what asks first, then what waits, then what is on paper, each in order', async () => {
    const paper = [paperPrint(now), paperPrint(now, { jobId: 'pj-older' })]
    await list([samplePrint(now), unknownPrint(now), refusedPrint(now), heldPrint(now, unreadable)], paper)
    expect(prints.groups.map(({ name, items }) => [name, ...items.map(({ jobId }) => jobId)])).toEqual([
      ['asks', 'pj-unknown', 'pj-held'],
      ['waits', 'pj-1', 'pj-refused'],
      ['paper', 'pj-paper', 'pj-older'],
    ])
  })

  it('keeps the cursor by its job, and hands it on when that one is through', async () => {
    const lines = ['a', 'b', 'c'].map((jobId) => samplePrint(now, { jobId }))
    await list(lines)
    prints.cursor.point('b')
    await list(lines.toReversed())
    expect(prints.cursor.key).toBe('b')
    await list(lines.filter(({ jobId }) => jobId !== 'b'))
    expect(prints.cursor.key).toBe('c')
    await list([])
    expect(prints.cursor.key).toBeNull()
  })

  it('keeps what it shows when it cannot be read', async () => {
    await show(unknownPrint(now))
    desk.world.failures['print:list'] = failure('store.unavailable')
    await prints.load()
    expect(prints.failure?.code).toBe('store.unavailable')
    expect(prints.opened?.jobId).toBe('pj-unknown')
  })

  it('shows nothing of it to the next operator', async () => {
    await show(unknownPrint(now))
    prints.reset()
    expect([prints.view, prints.opened, prints.paper.preview]).toEqual([null, null, null])
  })

  it('is what the contract says, before and after a decision', async () => {
    const { list: listed, preview, decide } = contract.print
    await show(unknownPrint(now))
    const answers = [
      listed.result.parse((await valueOf(desk.bridge.print.list())) satisfies unknown),
      preview.result.parse(await valueOf(desk.bridge.print.preview({ jobId: 'pj-unknown' }))),
      decide.result.parse(
        await valueOf(
          desk.bridge.print.decide({
            jobId: 'pj-unknown',
            version: '1',
            decision: { kind: 'print_again', reason: 'not_out' },
          }),
        ),
      ),
    ]
    expect(answers).toHaveLength(3)
  })
})

async function valueOf<T>(answer: Promise<{ ok: boolean; value?: T }>): Promise<T | undefined> {
  return (await answer).value
}

describe('did it come out?', () => {
  it.each([
    ['YES', { kind: 'came_out' }],
    ['NO', { kind: 'print_again', reason: 'not_out' }],
  ] as const)('%s answers it, and makes room for the next', async (command, decision) => {
    const next = unknownPrint(now, { jobId: 'pj-next' })
    await list([unknownPrint(now), next])
    prints.open('pj-unknown')
    expect(prints.run(command)).toBe(true)
    await settle()
    expect(decisions()).toEqual([decision])
    expect(prints.opened).toBeNull()
    expect(prints.cursor.key).toBe('pj-next')
    expect(prints.echo).toBe(decision.kind)
    expect(sounds).toEqual(['done'])
  })

  it('an answer read twice is one, also while the first is on its way', async () => {
    await show(unknownPrint(now))
    for (let i = 0; i < 3; i++) prints.run('NO')
    await settle()
    expect(decisions()).toHaveLength(1)
    expect(prints.run('NO')).toBe(false)
    expect(desk.world.prints.open).toHaveLength(1)
  })

  it('about a job that has moved on is news, decides nothing, and shows it as it is now', async () => {
    await show(unknownPrint(now))
    desk.world.prints = printsOf([], [paperPrint(now, { jobId: 'pj-unknown', version: '2' })])
    await prints.again('not_out')
    expect(decisions()).toEqual([])
    expect(prints.failure?.code).toBe('queue.moved_on')
    expect(sounds).toEqual(['look'])
    expect(prints.line).toMatchObject({ version: '2', state: 'sent' })
    expect(prints.run('NO')).toBe(false)
  })

  it('is answered by no Enter, and by no reason', async () => {
    await show(unknownPrint(now))
    await prints.primary()
    expect(prints.run('DAMAGED')).toBe(false)
    expect(prints.run('REPRINT')).toBe(false)
    expect(decisions()).toEqual([])
    expect(sounds).toEqual(['look'])
  })
})

describe('a held job', () => {
  it('is turned by quarters, as it was laid last, and stays open to be watched', async () => {
    await show(heldPrint(now, unreadable))
    for (let i = 0; i < 5; i++) await prints.turn()
    expect(decisions().map((one) => (one as { placement: { turn: number } }).placement.turn)).toEqual([
      90, 180, 270, 0, 90,
    ])
    await prints.cut('page')
    expect(decisions().at(-1)).toEqual({ kind: 'place', placement: { turn: 90, crop: 'page' } })
    expect(prints.opened?.jobId).toBe('pj-held')
  })

  it('is cut otherwise where it goes on paper, not where it becomes a file', async () => {
    await show(heldPrint(now, unreadable))
    expect([prints.offers('place'), prints.mayCut]).toEqual([true, true])
    await show(heldPrint(now, unreadable, { printer: labelFolder.name }))
    expect([prints.offers('place'), prints.mayCut]).toEqual([true, false])
    await show(samplePrint(now))
    expect(prints.mayCut).toBe(false)
  })

  it('is turned on from how it lies by itself', async () => {
    const lying = { ...samplePage(16, 16), laid: { turn: 90, part: 'ink' } as const }
    desk.world.previews['pj-held'] = samplePreview({ pages: [samplePage(16, 16), lying] })
    await show(heldPrint(now, unreadable))
    await settle()
    prints.paper.turnTo(1)
    await prints.turn()
    expect(decisions().at(-1)).toMatchObject({ placement: { turn: 180, crop: 'auto' } })
  })

  it('is printed anyway, and given up, only with a reason', async () => {
    await show(heldPrint(now, unreadable))
    prints.ask('anyway')
    expect(prints.step).toBe('anyway')
    expect(prints.back()).toBe(true)
    expect(prints.opened?.jobId).toBe('pj-held')
    await prints.decide({ kind: 'print_anyway', reason: 'I looked' })
    expect(decisions()).toEqual([{ kind: 'print_anyway', reason: 'I looked' }])
    expect(desk.world.prints.open[0]?.hold).toBeNull()
    await show(heldPrint(now, unreadable))
    prints.ask('give_up')
    await prints.decide({ kind: 'give_up', reason: 'Wrong label' })
    expect(desk.world.prints.open).toEqual([])
  })

  it('goes to one of the other printers', async () => {
    await show(heldPrint(now, unreadable))
    expect(prints.others).toEqual([labelFolder])
    prints.ask('move')
    await prints.decide({ kind: 'move', printer: labelFolder.name })
    expect(desk.world.prints.open[0]).toMatchObject({ printer: labelFolder.name, state: 'queued' })
  })

  it('that is released meanwhile asks for no reason any more', async () => {
    await show(heldPrint(now, unreadable))
    prints.ask('anyway')
    await list([samplePrint(now, { jobId: 'pj-held' })])
    expect(prints.step).toBe('choose')
    await prints.decide({ kind: 'print_anyway', reason: 'too late' })
    expect(decisions()).toEqual([])
  })
})

describe('a job that waits', () => {
  it('and was refused is tried now by Enter, and stays open to be watched', async () => {
    await show(refusedPrint(now))
    await prints.primary()
    expect(decisions()).toEqual([{ kind: 'retry' }])
    expect(prints.line?.state).toBe('queued')
    await prints.primary()
    expect(decisions()).toHaveLength(1)
  })

  it.each(['again', 'anyway', 'move', 'give_up'] as const)(
    'and is being sent is asked no %s',
    async (step) => {
      await show(samplePrint(now, { state: 'sending' }))
      prints.ask(step)
      expect(prints.step).toBe('choose')
    },
  )

  it('that leaves by itself stays to be read, and offers nothing', async () => {
    await show(samplePrint(now))
    await list([])
    expect(prints.gone).toBe(true)
    expect(prints.opened?.jobId).toBe('pj-1')
    await prints.decide({ kind: 'give_up', reason: 'no' })
    expect(desk.calls).not.toContain('print:decide')
  })
})

describe('a job on paper', () => {
  it('is printed again for a reason, after it was asked for', async () => {
    await show(paperPrint(now))
    expect(prints.run('GONE')).toBe(false)
    expect(prints.run('REPRINT')).toBe(true)
    expect(prints.run('REPRINT')).toBe(true)
    expect(decisions()).toEqual([])
    expect(prints.run('GONE')).toBe(true)
    await settle()
    expect(decisions()).toEqual([{ kind: 'print_again', reason: 'lost' }])
    expect(desk.world.prints.open).toMatchObject([{ isReprint: true, reason: 'lost' }])
  })

  it('is said to have come out only where that is not known', async () => {
    await show(paperPrint(now, { state: 'confirmed' }))
    expect(prints.run('YES')).toBe(false)
    await show(paperPrint(now))
    expect(prints.run('YES')).toBe(true)
    await settle()
    expect(decisions()).toEqual([{ kind: 'came_out' }])
  })

  it('leads to its label', async () => {
    await show(paperPrint(now))
    prints.showLabel()
    expect(shown).toEqual(['lb-1'])
  })
})

describe('the picture of the paper', () => {
  const previews = (): number => desk.calls.filter((call) => call === 'print:preview').length

  it('is asked for once, and anew when the job is laid otherwise or goes elsewhere', async () => {
    await show(heldPrint(now, unreadable))
    await settle()
    expect(prints.paper.preview?.pages).toHaveLength(1)
    await prints.load()
    await prints.load()
    expect(previews()).toBe(1)
    await prints.turn()
    expect(previews()).toBe(2)
    await list([heldPrint(now, unreadable, { printer: labelFolder.name })])
    expect(previews()).toBe(3)
  })

  it('turns its pages, and stays inside them', async () => {
    const pages = [samplePage(16, 16), samplePage(8, 8)]
    desk.world.previews['pj-held'] = samplePreview({ pages })
    await show(heldPrint(now, unreadable))
    await settle()
    prints.paper.turnTo(5)
    expect(prints.paper.page).toBe(1)
    desk.world.previews['pj-held'] = samplePreview({ pages: pages.slice(0, 1) })
    await prints.turn()
    await settle()
    expect(prints.paper.page).toBe(0)
  })

  it('says why there is none, and never shows that of another job', async () => {
    const wide = failure('printer.paper_too_narrow')
    desk.world.failures['print:preview'] = wide
    await list([heldPrint(now, unreadable), unknownPrint(now)])
    prints.open('pj-held')
    await settle()
    expect(prints.paper.failure).toEqual(wide)
    desk.world.failures = {}
    prints.open('pj-unknown')
    expect([prints.paper.preview, prints.paper.failure]).toEqual([null, null])
    await settle()
    expect(prints.paper.preview).not.toBeNull()
  })

  it('that comes late belongs to no other job', async () => {
    const answers: (() => void)[] = []
    const { preview } = desk.bridge.print
    begin({
      ...desk.bridge,
      print: {
        ...desk.bridge.print,
        preview: async (args) => {
          const answer = await preview(args)
          await new Promise<void>((resolve) => answers.push(resolve))
          return answer
        },
      },
    })
    desk.world.previews['pj-held'] = samplePreview({ dpi: 300 })
    await list([heldPrint(now, unreadable), unknownPrint(now)])
    prints.open('pj-held')
    await settle()
    prints.open('pj-unknown')
    await settle()
    answers[1]?.()
    await settle()
    answers[0]?.()
    await settle()
    expect(prints.paper.preview?.dpi).toBe(203)
  })
})

describe('a decision that is scanned in the list', () => {
  it('opens what it may be about, the entry with the cursor first, and decides nothing', async () => {
    const second = unknownPrint(now, { jobId: 'second' })
    await list([refusedPrint(now), unknownPrint(now), second], [paperPrint(now)])
    expect(prints.run('YES')).toBe(true)
    expect(prints.opened?.jobId).toBe('pj-unknown')
    prints.close()
    prints.cursor.point('second')
    expect(prints.run('NO')).toBe(true)
    expect(prints.opened?.jobId).toBe('second')
    prints.close()
    prints.run('PRINTNOW')
    expect([prints.opened?.jobId, desk.world.printsDecided]).toEqual(['pj-refused', []])
    expect(sounds).toEqual(['decide', 'decide', 'decide'])
  })

  it('answers the question only once somebody can have read it', async () => {
    await list([unknownPrint(now)])
    prints.run('NO')
    clockMs += 300
    expect(prints.run('NO')).toBe(true)
    await settle()
    expect(desk.world.printsDecided).toEqual([])
    clockMs += 600
    prints.run('YES')
    await settle()
    expect(desk.world.printsDecided).toEqual([{ jobId: 'pj-unknown', decision: { kind: 'came_out' } }])
  })

  it('means nothing where no entry asks for it', async () => {
    await list([], [paperPrint(now)])
    expect([prints.run('YES'), prints.run('PRINTNOW')]).toEqual([false, false])
    expect(prints.opened).toBeNull()
  })
})
