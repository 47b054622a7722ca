import type { ErrorCode, ErrorParams } from '#shared/errors/catalogue.ts'
import type { Bitmap } from './bitmap.ts'
import type { RasterPaper } from './raster.ts'

export interface RasterJob {
  readonly id: number
  readonly pdf: Uint8Array
  readonly paper: RasterPaper
}

export type RasterAnswer =
  | { readonly id: number; readonly labels: Bitmap[] }
  | { readonly id: number; readonly code: ErrorCode; readonly params: ErrorParams }
