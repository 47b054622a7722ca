import type { PrinterPort } from '#desk/ports/printers.ts'
import { forkChild, type StartChild } from '#kit/child-process.ts'
import { findPrinterDevice } from '#kit/device-files.ts'
import { picturesInThread } from '#labels/raster-in-thread.ts'
import type { PrinterEntry, PrinterKind, PrinterSettings, SettingsOf } from '#shared/bridge/printer-views.ts'
import { mmPerInch, type TestPaper } from '#shared/domain/test-page.ts'
import { createEscposPrinter, escposWidthDots } from './escpos-printer.ts'
import { createFolderPrinter } from './folder-printer.ts'
import { ippAddress, ippSession } from './ipp-client.ts'
import { askCondition } from './ipp-condition.ts'
import { chooseMedia, type MediaSize } from './ipp-media.ts'
import { createIppPrinter } from './ipp-printer.ts'
import { openRaw } from './raw-connection.ts'
import type { PrinterAddress, PrinterNaming } from './raw-printer.ts'
import { createWindowsPrinter } from './windows-printer.ts'
import { createZplPrinter, zplDotsPerMm } from './zpl-printer.ts'

/** The parameters of a driver in addition to its settings. */
interface Surroundings {
  readonly naming: PrinterNaming & { readonly title: string }
  /** The folder into which the folder printer writes its files. */
  readonly folder: string
  readonly startProcess: StartChild
}

interface KindRow<S extends PrinterSettings> {
  driver(settings: S, around: Surroundings): PrinterPort
  /**
   * Returns the printable area of the paper in dots. It has no height if the paper is a roll, or if the length of
   * labels is not set.
   */
  paper(settings: S): TestPaper
  /**
   * Returns whether a printer, or another device that accepts a connection, is at the address. Never rejects. Missing
   * for a kind of printer without an address.
   */
  isReached?(settings: S): Promise<boolean>
}

/** The resolution of most label printers. */
const pictureDpi = 203
/** The paper of the folder printer: four by six inches at 203 dpi. */
const folderPaper: TestPaper = { dpi: 203, widthDots: 812, heightDots: 1218 }
const fourBySix: MediaSize = { widthMm: 101.6, heightMm: 152.4 }

const reachMs = 3_000
const ippTimeouts = { connectMs: reachMs, stallMs: 5_000, sendMs: 5_000, answerMs: 5_000 }
/**
 * The path of a printer (PWG 5100.14: `/ipp/print`) or of a CUPS queue. Encoded characters are not allowed, because a
 * server may decode them to dots or slashes.
 */
const printerPath = /^\/(?:ipp(?:\/[\w.~-]+)*|printers\/[\w.~-]+)$/

/** The driver of each kind of printer. */
const printerKinds: { readonly [K in PrinterKind]: KindRow<SettingsOf<K>> } = {
  folder: {
    driver: (_, { naming, folder }) =>
      createFolderPrinter(naming.name, folder, {
        ...naming,
        picturesOf: (pdf) => picturesInThread(pdf, pictureDpi),
      }),
    paper: () => folderPaper,
  },
  escpos: {
    driver: (settings, around) =>
      createEscposPrinter({ ...settings, ...connectionOf(settings, around), ...around.naming }),
    paper: ({ dpi, paperMm }) => ({ dpi, widthDots: escposWidthDots[dpi][paperMm], heightDots: null }),
    isReached: isPlaceReached,
  },
  zpl: {
    driver: (settings, around) =>
      createZplPrinter({ ...settings, ...connectionOf(settings, around), ...around.naming }),
    paper: ({ dpi, widthMm }) => ({
      dpi,
      widthDots: Math.floor(widthMm * zplDotsPerMm[dpi]),
      heightDots: null,
    }),
    isReached: isPlaceReached,
  },
  ipp: {
    driver: (settings, { naming }) => createIppPrinter({ ...settings, ...naming }),
    paper: ({ media, dpi }) => paperOfSize(chooseMedia(media, []) ?? fourBySix, dpi),
    // the check whether an address is a printer sends only the IPP request for the attributes of a printer, and only to
    // the usual paths of printers
    async isReached({ uri }) {
      const address = ippAddress(uri)
      if (!address || !printerPath.test(address.path)) return false
      return !('kind' in (await askCondition(ippSession(address, ippTimeouts))))
    },
  },
  windows: {
    driver: (settings, { naming }) => createWindowsPrinter({ ...settings, ...naming }),
    paper: ({ media, dpi }) => paperOfSize(media, dpi),
  },
}

/** Returns the row of `printerKinds` for the kind of printer that has these settings. */
function rowOf({ kind }: PrinterSettings): KindRow<PrinterSettings> {
  return printerKinds[kind]
}

/**
 * Creates the driver of a printer in the saved list. The id of the printer becomes the name of the driver. `folder`:
 * the folder into which the folder printer writes its files.
 */
export function createPrinter(
  { id, title, settings, layout }: PrinterEntry,
  folder: string,
  startProcess: StartChild = forkChild,
): PrinterPort {
  return rowOf(settings).driver(settings, { naming: { name: id, title, layout }, folder, startProcess })
}

/**
 * Returns the printable area of a printer's paper in dots. It has no height if the paper is a roll, or if the length of
 * labels is not set.
 */
export function paperOf(settings: PrinterSettings): TestPaper {
  return rowOf(settings).paper(settings)
}

/**
 * Returns whether a printer can be reached, without printing. An IPP printer is queried for its attributes; no bytes
 * are sent to any other printer. Returns null if this kind of printer has no address. Never rejects.
 */
export async function isReached(settings: PrinterSettings): Promise<boolean | null> {
  return (await rowOf(settings).isReached?.(settings)) ?? null
}

type Placed = SettingsOf<'escpos'> | SettingsOf<'zpl'>

function connectionOf({ host, port, device }: Placed, { startProcess }: Surroundings): PrinterAddress {
  return device === undefined ? { host, port } : { path: device, startProcess }
}

/**
 * Checks whether an address can be reached. Opens a connection without sending bytes, or checks a device file without
 * opening it.
 */
async function isPlaceReached({ host, port, device }: Placed): Promise<boolean> {
  if (device !== undefined) return findPrinterDevice(device) !== null
  const connection = await openRaw({ host, port }, reachMs)
  if ('cause' in connection) return false
  await connection.finish(0)
  return true
}

function paperOfSize({ widthMm, heightMm }: MediaSize, dpi: TestPaper['dpi']): TestPaper {
  const toDots = (mm: number): number => Math.round((mm / mmPerInch) * dpi)
  return { dpi, widthDots: toDots(widthMm), heightDots: toDots(heightMm) }
}
