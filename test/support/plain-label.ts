import { drawLabel } from '#labels/draw/draw-label.ts'
import { labelSpec } from './label-specs.ts'

/** The PDF of a return label as a carrier makes it, drawn once: what prints it reads its barcodes first. */
export const plainLabel: Buffer = Buffer.from(await drawLabel(labelSpec()))
