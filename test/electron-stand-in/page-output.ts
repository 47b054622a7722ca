import type { PrintToPDFOptions } from 'electron'
import type { CdpSession } from './cdp.ts'

/** Paper sizes in inches, the unit of printToPDF. */
const paper: Readonly<Record<string, readonly [width: number, height: number]>> = {
  A0: [33.11, 46.81],
  A1: [23.39, 33.11],
  A2: [16.54, 23.39],
  A3: [11.69, 16.54],
  A4: [8.27, 11.69],
  A5: [5.83, 8.27],
  A6: [4.13, 5.83],
  Legal: [8.5, 14],
  Letter: [8.5, 11],
  Tabloid: [11, 17],
  Ledger: [17, 11],
}

/** Removes options that are undefined, because the types of the protocol do not accept undefined. */
function given<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}

/** Implements webContents.printToPDF. */
export async function printToPdf(page: CdpSession, options: PrintToPDFOptions): Promise<Buffer> {
  const { pageSize = 'Letter', margins = {} } = options
  const named = typeof pageSize === 'string' ? paper[pageSize] : ([pageSize.width, pageSize.height] as const)
  if (!named) throw new Error(`Invalid pageSize ${JSON.stringify(pageSize)}`)
  const parameters = given({
    paperWidth: named[0],
    paperHeight: named[1],
    landscape: options.landscape,
    printBackground: options.printBackground,
    scale: options.scale,
    pageRanges: options.pageRanges,
    displayHeaderFooter: options.displayHeaderFooter,
    headerTemplate: options.headerTemplate,
    footerTemplate: options.footerTemplate,
    preferCSSPageSize: options.preferCSSPageSize,
    generateTaggedPDF: options.generateTaggedPDF,
    marginTop: margins.top,
    marginBottom: margins.bottom,
    marginLeft: margins.left,
    marginRight: margins.right,
  })
  const { data } = await page.send('Page.printToPDF', parameters)
  return Buffer.from(data, 'base64')
}

/** Implements webContents.capturePage: returns the PNG bytes. */
export async function capturePng(page: CdpSession): Promise<Buffer> {
  const { data } = await page.send('Page.captureScreenshot', {})
  return Buffer.from(data, 'base64')
}
