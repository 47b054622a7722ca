import type { PrintLaid } from '#shared/domain/print-hold.ts'
import type { ErrorCode, ErrorParams } from '#shared/errors/catalogue.ts'
import type { PaperSize } from '#shared/bridge/printer-views.ts'
import type { CopyMark } from './mark/draw-copy-mark.ts'
import type { LabelOptions } from './place/label-plan.ts'
import type { PageLay } from './place/lay-pages.ts'
import type { Media, PlaceOptions } from './place/place-label.ts'
import type { RasterPaper } from './place/raster.ts'
import type { LabelReading } from './read/read-label.ts'
import type { SheetSpec } from './sheets/barcode-sheet.ts'
import type { TestPageSpec } from './sheets/test-page.ts'

/**
 * What the thread does for its keeper. `bitmaps` are not read: they come without symbols. `copy` is the document itself,
 * marked; `pictures` are PNG; `size` is the paper it is made for; all others are PDF.
 */
export type LabelTask =
  | {
      readonly kind: 'bitmaps'
      readonly pdf: Uint8Array
      readonly paper: RasterPaper
      readonly options: LabelOptions
    }
  | {
      readonly kind: 'readings'
      readonly pdf: Uint8Array
      readonly paper: RasterPaper
      readonly options: LabelOptions
      readonly copyMark: CopyMark | null
    }
  | { readonly kind: 'copy'; readonly pdf: Uint8Array; readonly copyMark: CopyMark }
  | { readonly kind: 'size'; readonly pdf: Uint8Array }
  | { readonly kind: 'lay'; readonly pdf: Uint8Array; readonly lay: PageLay }
  | { readonly kind: 'pictures'; readonly pdf: Uint8Array; readonly dpi: number }
  | {
      readonly kind: 'place'
      readonly pdf: Uint8Array
      readonly media: Media
      readonly options: PlaceOptions
    }
  | { readonly kind: 'merge'; readonly pdfs: readonly Uint8Array[] }
  | { readonly kind: 'sheet'; readonly spec: SheetSpec }
  | { readonly kind: 'test_page'; readonly spec: TestPageSpec }

export interface LabelResult {
  readonly labels: readonly LabelReading[]
  readonly files: readonly Uint8Array[]
  readonly size?: PaperSize
  /** Of `readings` each label, of `place` each page. */
  readonly laid: readonly PrintLaid[]
}

export type LabelAnswer = LabelResult | { readonly code: ErrorCode; readonly params: ErrorParams }
