import type { PrinterSettings } from '#shared/bridge/printer-views.ts'
import { mmPerInch, type TestPaper } from '#shared/domain/test-page.ts'
import { escposWidthDots } from './escpos-printer.ts'
import { chooseMedia, type MediaSize } from './ipp-media.ts'
import { zplDotsPerMm } from './zpl-printer.ts'

/** What a folder is taken for: four by six inches at the dots of most label printers. */
const folderPaper: TestPaper = { dpi: 203, widthDots: 812, heightDots: 1218 }
const fourBySix: MediaSize = { widthMm: 101.6, heightMm: 152.4 }

/** What prints on a printer's paper, in its dots; no height on a roll, or where nobody told how long a label is. */
export function paperOf(settings: PrinterSettings): TestPaper {
  switch (settings.kind) {
    case 'folder':
      return folderPaper
    case 'escpos':
      return {
        dpi: settings.dpi,
        widthDots: escposWidthDots[settings.dpi][settings.paperMm],
        heightDots: null,
      }
    case 'zpl': {
      const { dpi, widthMm } = settings
      return { dpi, widthDots: Math.floor(widthMm * zplDotsPerMm[dpi]), heightDots: null }
    }
    case 'ipp':
      return paperOfSize(chooseMedia(settings.media, []) ?? fourBySix, settings.dpi)
    case 'windows':
      return paperOfSize(settings.media, settings.dpi)
  }
}

function paperOfSize({ widthMm, heightMm }: MediaSize, dpi: TestPaper['dpi']): TestPaper {
  const toDots = (mm: number): number => Math.round((mm / mmPerInch) * dpi)
  return { dpi, widthDots: toDots(widthMm), heightDots: toDots(heightMm) }
}
