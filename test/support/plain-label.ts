import { drawLabel } from '#labels/draw/draw-label.ts'
import { labelSpec } from './label-specs.ts'

/**
 * The PDF of a return label of a carrier, drawn once. Its barcodes are real, because the desk reads them before a
 * print.
 */
export const plainLabel: Buffer = Buffer.from(await drawLabel(labelSpec()))
