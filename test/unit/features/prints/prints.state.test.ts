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

/** Waits until every call to the desk in memory has returned. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0))
}

beforeEach(() => {
  desk = new MemoryDesk(memoryWorld(() => now))
  sounds = []
  shown = []
  begin()
})

describe('the print list', () => {
  it('shows jobs that need a decision first, then waiting jobs, then printed papers', async () => {
    const paper = [paperPrint(now), paperPrint(now, { jobId: 'pj-older' })]
    await list([samplePrint(now), unknownPrint(now), refusedPrint(now), heldPrint(now, unreadable)], paper)
    expect(prints.groups.map(({ name, items }) => [name, ...items.map(({ jobId }) => jobId)])).toEqual([
      ['asks', 'pj-unknown', 'pj-held'],
      ['waits', 'pj-1', 'pj-refused'],
      ['paper', 'pj-paper', 'pj-older'],
    ])
  })

  it('keeps the selected job selected, and selects the next job when the selected job is removed', async () => {
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

  it('keeps its jobs if a later read of the list fails', async () => {
    await show(unknownPrint(now))
    desk.world.failures['print:list'] = failure('store.unavailable')
    await prints.load()
    expect(prints.failure?.code).toBe('store.unavailable')
    expect(prints.opened?.jobId).toBe('pj-unknown')
  })

  it('is empty for the next operator', async () => {
    await show(unknownPrint(now))
    prints.reset()
    expect([prints.view, prints.opened, prints.paper.preview]).toEqual([null, null, null])
  })

  it('matches the contract of the bridge, both before and after a decision', async () => {
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

describe('the question whether a paper came out', () => {
  it.each([
    ['YES', { kind: 'came_out' }],
    ['NO', { kind: 'print_again', reason: 'not_out' }],
  ] as const)(
    'is answered by the command %s, and the next job with a question is selected',
    async (command, decision) => {
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
    },
  )

  it('is answered only once when an answer is scanned several times', async () => {
    await show(unknownPrint(now))
    for (let i = 0; i < 3; i++) prints.run('NO')
    await settle()
    expect(decisions()).toHaveLength(1)
    expect(prints.run('NO')).toBe(false)
    expect(desk.world.prints.open).toHaveLength(1)
  })

  it('refuses an answer if the job has changed, and shows the new state of the job', async () => {
    await show(unknownPrint(now))
    desk.world.prints = printsOf([], [paperPrint(now, { jobId: 'pj-unknown', version: '2' })])
    await prints.again('not_out')
    expect(decisions()).toEqual([])
    expect(prints.failure?.code).toBe('queue.moved_on')
    expect(sounds).toEqual(['look'])
    expect(prints.line).toMatchObject({ version: '2', state: 'sent' })
    expect(prints.run('NO')).toBe(false)
  })

  it('is not answered by Enter or by the commands DAMAGED and REPRINT', async () => {
    await show(unknownPrint(now))
    await prints.primary()
    expect(prints.run('DAMAGED')).toBe(false)
    expect(prints.run('REPRINT')).toBe(false)
    expect(decisions()).toEqual([])
    expect(sounds).toEqual(['look'])
  })
})

describe('a held job of the print list', () => {
  it('is turned by a further 90 degrees each time the operator turns it, and remains open', async () => {
    await show(heldPrint(now, unreadable))
    for (let i = 0; i < 5; i++) await prints.turn()
    expect(decisions().map((one) => (one as { placement: { turn: number } }).placement.turn)).toEqual([
      90, 180, 270, 0, 90,
    ])
    await prints.cut('page')
    expect(decisions().at(-1)).toEqual({ kind: 'place', placement: { turn: 90, crop: 'page' } })
    expect(prints.opened?.jobId).toBe('pj-held')
  })

  it('lets the operator change the cropping if it is for paper, and not if it is for the label folder', async () => {
    await show(heldPrint(now, unreadable))
    expect([prints.offers('place'), prints.mayCut]).toEqual([true, true])
    await show(heldPrint(now, unreadable, { printer: labelFolder.name }))
    expect([prints.offers('place'), prints.mayCut]).toEqual([true, false])
    await show(samplePrint(now))
    expect(prints.mayCut).toBe(false)
  })

  it('is turned, at the first turn, by 90 degrees from the rotation that its preview shows', async () => {
    const lying = { ...samplePage(16, 16), laid: { turn: 90, part: 'ink' } as const }
    desk.world.previews['pj-held'] = samplePreview({ pages: [samplePage(16, 16), lying] })
    await show(heldPrint(now, unreadable))
    await settle()
    prints.paper.turnTo(1)
    await prints.turn()
    expect(decisions().at(-1)).toMatchObject({ placement: { turn: 180, crop: 'auto' } })
  })

  it('is printed or given up after the operator has given a reason', async () => {
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

  it('can be moved to another printer', async () => {
    await show(heldPrint(now, unreadable))
    expect(prints.others).toEqual([labelFolder])
    prints.ask('move')
    await prints.decide({ kind: 'move', printer: labelFolder.name })
    expect(desk.world.prints.open[0]).toMatchObject({ printer: labelFolder.name, state: 'queued' })
  })

  it('no longer asks whether to print it anyway when it is held for another reason', async () => {
    await show(heldPrint(now, unreadable))
    prints.ask('anyway')
    await list([heldPrint(now, { kind: 'another_label', code: 'OTHER', title: 'SHP1' })])
    expect([prints.step, sounds.at(-1)]).toEqual(['choose', 'look'])
  })

  it('no longer asks for a reason when it was released outside the print list', async () => {
    await show(heldPrint(now, unreadable))
    prints.ask('anyway')
    await list([samplePrint(now, { jobId: 'pj-held' })])
    expect(prints.step).toBe('choose')
    await prints.decide({ kind: 'print_anyway', reason: 'too late' })
    expect(decisions()).toEqual([])
  })
})

describe('a waiting job of the print list', () => {
  it('is retried at Enter if the printer refused it, and stays on the screen', async () => {
    await show(refusedPrint(now))
    await prints.primary()
    expect(decisions()).toEqual([{ kind: 'retry' }])
    expect(prints.line?.state).toBe('queued')
    await prints.primary()
    expect(decisions()).toHaveLength(1)
  })

  it.each(['again', 'anyway', 'move', 'give_up'] as const)(
    'does not open the question “%s” while it is being sent to the printer',
    async (step) => {
      await show(samplePrint(now, { state: 'sending' }))
      prints.ask(step)
      expect(prints.step).toBe('choose')
    },
  )

  it.each([
    ['move', { kind: 'move', printer: labelFolder.name }],
    ['give_up', { kind: 'give_up', reason: 'Wrong label' }],
  ] as const)(
    'keeps the question “%s” open during an attempt to print the job, and accepts its answer after the attempt',
    async (step, decision) => {
      const refused = refusedPrint(now)
      await show(refused)
      prints.ask(step)
      await list([samplePrint(now, { jobId: refused.jobId, state: 'sending' })])
      expect([prints.step, prints.mayDecide]).toEqual([step, false])
      await prints.decide(decision)
      expect([decisions(), sounds.at(-1)]).toEqual([[], 'look'])
      await list([refused])
      expect([prints.step, prints.mayDecide]).toEqual([step, true])
      await prints.decide(decision)
      expect(decisions()).toEqual([decision])
    },
  )

  it('stays on the screen, but without choices, when it is removed from the list', async () => {
    await show(samplePrint(now))
    await list([])
    expect(prints.gone).toBe(true)
    expect(prints.opened?.jobId).toBe('pj-1')
    await prints.decide({ kind: 'give_up', reason: 'no' })
    expect(desk.calls).not.toContain('print:decide')
  })
})

describe('a printed job of the print list', () => {
  it('is printed again after REPRINT and a scanned reason', async () => {
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

  it('accepts YES only if it is not yet confirmed that the paper came out', async () => {
    await show(paperPrint(now, { state: 'confirmed' }))
    expect(prints.run('YES')).toBe(false)
    await show(paperPrint(now))
    expect(prints.run('YES')).toBe(true)
    await settle()
    expect(decisions()).toEqual([{ kind: 'came_out' }])
  })

  it('opens the card of its label at the request of the operator', async () => {
    await show(paperPrint(now))
    prints.showLabel()
    expect(shown).toEqual(['lb-1'])
  })
})

describe('the preview of a print job', () => {
  const previews = (): number => desk.calls.filter((call) => call === 'print:preview').length

  it('is requested once, and again after each change of placement or printer', async () => {
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

  it('shows the last page if the operator turns to a page that does not exist', async () => {
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

  it('counts all pages of a long document, and shows only the pages that have a picture', async () => {
    desk.world.previews['pj-held'] = samplePreview({
      pages: [samplePage(8, 8), samplePage(8, 8)],
      morePages: 98,
    })
    await show(heldPrint(now, unreadable))
    await settle()
    expect(prints.paper.pageCount).toBe(100)
    prints.paper.turnTo(50)
    expect([prints.paper.page, prints.paper.shown]).toEqual([1, samplePage(8, 8)])
  })

  it('shows why it could not be read, and shows nothing of that job once another job is open', async () => {
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

  it('is dropped if it arrives after the operator opened another job', async () => {
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

describe('a command for a decision, scanned in the print list', () => {
  it('opens a job to which it applies, preferably the selected job, and decides nothing yet', async () => {
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

  it('leads to no decision about the job that it opened until the operator has had time to read the question', async () => {
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

  it('does nothing if it applies to no job of the list', async () => {
    await list([], [paperPrint(now)])
    expect([prints.run('YES'), prints.run('PRINTNOW')]).toEqual([false, false])
    expect(prints.opened).toBeNull()
  })
})
