import { describe, expect, it } from 'vitest'
import { papers, RoutesDraft } from '#features/setup/printers.state.svelte.ts'
import { paperKinds, paperSizes, type PrintRoute } from '#shared/bridge/printer-views.ts'

const sheets: PrintRoute = { paper: 'sheet', size: 'page', printerId: 'office' }

describe('the routes of a station', () => {
  it('are those of all papers that the contract knows', () => {
    const all = paperKinds.flatMap((paper) => paperSizes.map((size) => ({ paper, size })))
    expect(papers).toEqual(all)
  })

  it('stay as they are until something else is chosen', () => {
    const draft = new RoutesDraft([sheets])
    expect(draft.routes()).toEqual([sheets])
    expect(draft.isChanged).toBe(false)
    draft.choose({ paper: 'return_label', size: 'label' }, 'zebra')
    expect(draft.isChanged).toBe(true)
    expect(draft.routes()).toEqual([{ paper: 'return_label', size: 'label', printerId: 'zebra' }, sheets])
    draft.choose({ paper: 'return_label', size: 'label' }, null)
    expect(draft.isChanged).toBe(false)
  })

  it('leave to the first printer what has none', () => {
    const draft = new RoutesDraft([sheets])
    expect(draft.printerOf({ paper: 'sheet', size: 'page' })).toBe('office')
    expect(draft.printerOf({ paper: 'sheet', size: 'label' })).toBeNull()
    draft.choose({ paper: 'sheet', size: 'page' }, null)
    expect(draft.routes()).toEqual([])
  })
})
