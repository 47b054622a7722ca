import { drawLabel } from '#labels/draw/draw-label.ts'
import { labelSpec } from './label-specs.ts'

/** The PDF of a return label of a carrier, drawn once. The desk reads its barcodes before a print. */
export const plainLabel: Buffer = Buffer.from(await drawLabel(labelSpec()))
