import { describe, expect, it } from 'vitest'
import { createFolderPrinter } from '#printing/folder-printer.ts'
import { createPrinterBoard, type PrinterBoard } from '#printing/printer-board.ts'
import type { PaperSize } from '#shared/bridge/printer-views.ts'

const first = createFolderPrinter('first', '/nowhere')
const dock = createFolderPrinter('dock', '/nowhere')
const office = createFolderPrinter('office', '/nowhere')
const document = new Uint8Array(1)

/** Creates a board with three printers. `size`: the paper size of every document; null: no document can be read. */
function open(size: PaperSize | null): { board: PrinterBoard; looks: () => number } {
  let looked = 0
  const board = createPrinterBoard([first, dock, office], () => {
    looked++
    return size === null ? Promise.reject(new Error('damaged')) : Promise.resolve(size)
  })
  return { board, looks: () => looked }
}

describe('the routes of the configured printers', () => {
  it.each([
    ['label', 'dock'],
    ['page', 'office'],
    [null, 'first'],
  ] as const)('send a return label for paper of size %s to the printer %s', async (size, name) => {
    const { board } = open(size)
    board.route([
      { paper: 'return_label', size: 'label', printerId: 'dock' },
      { paper: 'return_label', size: 'page', printerId: 'office' },
    ])
    expect((await board.forPaper('return_label', document)).name).toBe(name)
    // no route applies to sheets
    expect((await board.forPaper('sheet', document)).name).toBe('first')
    expect(board.usual('return_label').name).toBe('dock')
    expect(board.usual('sheet').name).toBe('first')
  })

  it('choose the first printer, without reading the document, if no route names its kind of paper', async () => {
    const { board, looks } = open('label')
    board.route([{ paper: 'sheet', size: 'page', printerId: 'office' }])
    expect(await board.forPaper('return_label', document)).toBe(first)
    expect(looks()).toBe(0)
  })

  it('choose the first printer as long as the printer of the route is not configured', async () => {
    const { board } = open('label')
    board.route([{ paper: 'return_label', size: 'label', printerId: 'dock' }])
    expect(await board.forPaper('return_label', document)).toBe(dock)
    board.use([office, first])
    expect(await board.forPaper('return_label', document)).toBe(office)
    expect(board.usual('return_label')).toBe(office)
    // the printer of the route is set up again
    board.use([office, dock])
    expect(await board.forPaper('return_label', document)).toBe(dock)
  })
})
