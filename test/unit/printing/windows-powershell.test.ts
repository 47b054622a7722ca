import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { causeInStatus, parseQueues, queuesQuestion } from '#printing/windows-powershell.ts'
import { count, seed } from '#support/counts.ts'

describe('the status of a printer in Windows', () => {
  it.each([
    ['Normal', null],
    ['0', null],
    ['', null],
    ['Printing', null],
    ['TonerLow, PowerSave', null],
    ['PaperOut', 'paper_out'],
    ['16', 'paper_out'],
    ['Error, PaperOut', 'paper_out'],
    ['Offline, DoorOpen', 'cover_open'],
    ['4194432', 'cover_open'],
    ['PaperJam', 'jammed'],
    ['NoToner', 'ribbon_out'],
    ['Offline', 'offline'],
    ['128', 'offline'],
    ['NotAvailable', 'offline'],
    ['PendingDeletion', 'no_queue'],
    ['Paused', 'paused'],
    ['Paused, Printing', 'paused'],
    ['UserIntervention', 'error'],
    ['2', 'error'],
  ])('is converted from %s to the cause %s', (status, cause) => {
    expect(causeInStatus(status)).toBe(cause)
  })
})

describe('the response of PowerShell', () => {
  it('is parsed also if it starts with a byte order mark, or has one item or null in place of a list', () => {
    const queues = { name: 'Zebra', driver: 'ZDesigner', status: 'Paused' }
    const jobs = [
      { document: 'C:\\Temp\\a.pdf', status: 'Deleting, Printing' },
      { document: 'b.pdf', status: '256' },
      { document: 'c.pdf', status: 'Printing, Retained' },
      { document: 'd.pdf', status: '16' },
    ]
    expect(parseQueues(`\uFEFF${JSON.stringify({ queues, jobs })}\r\n`)).toEqual({
      queues: [{ name: 'Zebra', driver: 'ZDesigner', cause: 'paused' }],
      jobs: [
        { document: 'C:\\Temp\\a.pdf', isDeleted: true },
        { document: 'b.pdf', isDeleted: true },
        { document: 'c.pdf', isDeleted: false },
        { document: 'd.pdf', isDeleted: false },
      ],
    })
    const bare = { queues: [{ name: 'PDF' }], jobs: null }
    expect(parseQueues(JSON.stringify(bare))).toEqual({
      queues: [{ name: 'PDF', driver: '', cause: null }],
      jobs: [],
    })
  })

  it.each(['', 'Get-Printer : The spooler service is not running.', '[]', 'null', '{"queues":[]}', '7'])(
    'is parsed to null if it does not have the expected form: %s',
    (text) => {
      expect(parseQueues(text)).toBeNull()
    },
  )

  it('is parsed without an exception, whatever it contains', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (queues, jobs) => {
        const read = parseQueues(JSON.stringify({ queues, jobs }))
        expect(read?.queues.every(({ name }) => name !== '')).toBe(true)
      }),
      { seed, numRuns: count(100, 5_000) },
    )
  })

  it('is requested by a script without double quotes, because the command line could interpret them', () => {
    expect(queuesQuestion).not.toContain('"')
  })
})
