import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { callIpp, ippAddress } from '#printing/ipp-client.ts'
import { groupTags, words } from '#printing/ipp-message.ts'
import { type ChildProgram, freePort, startProgram, waitUntil } from './child-program.ts'

const bus = '/usr/bin/dbus-daemon'
const program = '/usr/sbin/ippeveprinter'

/** Whether cups-ipp-utils and dbus are installed. Otherwise the tests that need them are skipped with a notice. */
export const canRunIppEverywhere: boolean = existsSync(program) && existsSync(bus)

/**
 * Behaviour during a job. `slow:n`: the printer prints for n seconds. `media_empty:n`: it has no paper for n seconds
 * and then continues. `fails`: it reports an open cover and aborts the job. `halts`: it stops in the middle of the job
 * until a test sets another mode or kills it. `uncounted`: it prints, but does not report the number of pages.
 */
export type PrinterMode = 'ok' | `slow:${number}` | `media_empty:${number}` | 'fails' | 'halts' | 'uncounted'

/** The IPP Everywhere printer of CUPS (ippeveprinter), with a script as its print engine. */
export interface IppEverywhere {
  readonly uri: string
  readonly setMode: (mode: PrinterMode) => Promise<void>
  /** Returns the documents that the printer has printed, in order. */
  readonly printed: () => Promise<Buffer[]>
  /** Returns the number of jobs that the engine has started to print. */
  readonly begun: () => Promise<number>
  readonly log: () => string
  /** Kills the printer, so that its clients receive no message. */
  readonly kill: () => Promise<void>
  readonly close: () => Promise<void>
}

export interface IppEverywhereOptions {
  /** The document formats that the printer supports. Default: `application/pdf` and `image/pwg-raster`. */
  readonly formats?: readonly string[]
  readonly rasterTypes?: readonly string[]
}

export async function startIppEverywhere(options: IppEverywhereOptions = {}): Promise<IppEverywhere> {
  const folder = await mkdtemp(join(tmpdir(), 'scandesk-ipp-'))
  const out = join(folder, 'out')
  const spool = join(folder, 'spool')
  const mode = join(folder, 'mode')
  await mkdir(out)
  await mkdir(spool)
  await writeFile(mode, 'ok')
  await writeFile(join(folder, 'attributes'), attributeFile(options))
  await writeFile(join(folder, 'engine'), engine(folder))
  await chmod(join(folder, 'engine'), 0o755)
  const daemon = startProgram(bus, [
    '--session',
    '--nofork',
    '--nopidfile',
    `--address=unix:path=${folder}/bus`,
  ])
  await waitUntil(() => existsSync(join(folder, 'bus')), 'dbus')
  // Scandesk contacts a printer of this computer behind a queue only at these ports: the port of the queue, 631, 443
  // (only ipps), and 60,000 or higher (the range of ipp-usb). So this printer uses a port from 60,000.
  const port = await freePort(60_000, 65_536)
  const printer = startProgram(
    program,
    // Options: the printer does not announce itself, uses `localhost` as host in its addresses, and keeps its jobs.
    [
      ...['-r', 'off', '-n', 'localhost', '-p', String(port), '-d', spool, '-k'],
      ...['-a', join(folder, 'attributes'), '-c', join(folder, 'engine'), 'Label'],
    ],
    { DBUS_SYSTEM_BUS_ADDRESS: `unix:path=${folder}/bus` },
  )
  const uri = `ipp://localhost:${String(port)}/ipp/print`
  await waitUntil(() => answersAt(uri, printer), 'ippeveprinter')
  const names = async (start: string): Promise<string[]> =>
    (await readdir(out)).filter((name) => name.startsWith(start)).toSorted()
  return {
    uri,
    setMode: (next) => writeFile(mode, next),
    printed: async () => Promise.all((await names('done-')).map((name) => readFile(join(out, name)))),
    begun: async () => (await names('begun-')).length,
    log: () => printer.log(),
    kill: () => printer.end('SIGKILL'),
    async close() {
      await writeFile(mode, 'ok')
      await printer.end()
      await daemon.end()
      // Waits, because the engine of a killed printer ends a moment later.
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
    },
  }
}

/** Whether a printer or print server responds over IPP. Throws if its program has ended. */
export async function answersAt(uri: string, server: ChildProgram): Promise<boolean> {
  if (server.hasEnded()) throw new Error(server.log())
  const address = ippAddress(uri)
  if (!address) throw new Error(uri)
  const attributes = [
    words('charset', 'attributes-charset', 'utf-8'),
    words('language', 'attributes-natural-language', 'en'),
    words('uri', 'printer-uri', uri),
  ]
  const question = { code: 0x0b, id: 1, groups: [{ tag: groupTags.operation, attributes }] }
  const timeouts = { connectMs: 5_000, stallMs: 5_000, sendMs: 5_000, answerMs: 5_000 }
  return (await callIpp(address, question, timeouts)).kind === 'answered'
}

/**
 * Returns the engine script. $1 is the document. At the end of a successful job, the script copies the document to the
 * printed documents (`out/done-…`).
 */
function engine(folder: string): string {
  return `#!/bin/bash
mode=$(cat '${folder}/mode')
n=$(ls '${folder}/out' | grep -c begun-)
touch "${folder}/out/begun-$n"
case $mode in
  media_empty:*) echo 'STATE: +media-empty-error,media-needed' >&2
    for _ in $(seq \${mode#*:}0); do [ "$(cat '${folder}/mode')" = "$mode" ] || break; sleep 0.1; done
    echo 'STATE: -media-empty-error,media-needed' >&2;;
  slow:*) for _ in $(seq \${mode#*:}); do echo 'INFO: working' >&2; sleep 1; done;;
  fails) echo 'STATE: +cover-open-error' >&2; exit 1;;
  halts) while [ "$(cat '${folder}/mode')" = halts ]; do kill -0 $PPID || exit 1; sleep 0.1; done;;
esac
cp "$1" "${folder}/out/part-$n" && mv "${folder}/out/part-$n" "${folder}/out/done-$n"
[ "$mode" = uncounted ] || echo 'ATTR: job-impressions-completed=1' >&2
exit 0
`
}

const sizes = [
  { name: 'na_index-4x6_4x6in', x: 10_160, y: 15_240 },
  { name: 'iso_a6_105x148mm', x: 10_500, y: 14_800 },
  { name: 'iso_a4_210x297mm', x: 21_000, y: 29_700 },
]

/** Returns the capabilities of the printer in the format of ippeveprinter (ippeveprinter(7), -a). */
function attributeFile({
  formats = ['application/pdf', 'image/pwg-raster'],
  rasterTypes = ['black_1', 'sgray_8'],
}: IppEverywhereOptions): string {
  const size = (x: number | string, y: number | string, type: string): string =>
    `MEMBER ${type} x-dimension ${String(x)} MEMBER ${type} y-dimension ${String(y)}`
  const edges = ['bottom', 'top', 'left', 'right']
  const margins = edges.map((edge) => `MEMBER integer media-${edge}-margin 0`).join(' ')
  const column = ({ x, y }: { x: number; y: number }): string =>
    `{ MEMBER collection media-size { ${size(x, y, 'integer')} } ${margins} MEMBER keyword media-type labels }`
  const first = sizes.slice(0, 1).map(column).join()
  const names = sizes.map(({ name }) => name).join()
  const custom = 'custom_min_25x25mm,custom_max_220x600mm'
  return [
    'keyword media-default na_index-4x6_4x6in',
    'keyword media-ready na_index-4x6_4x6in',
    `keyword media-supported ${names},${custom}`,
    `collection media-size-supported ${sizes.map(({ x, y }) => `{ ${size(x, y, 'integer')} }`).join()},{ ${size('2500-22000', '2500-60000', 'rangeOfInteger')} }`,
    `collection media-col-default ${first}`,
    `collection media-col-ready ${first}`,
    `collection media-col-database ${sizes.map(column).join()}`,
    ...edges.map((edge) => `integer media-${edge}-margin-supported 0`),
    'keyword media-type-supported labels,stationery',
    'keyword media-source-supported main',
    'keyword print-scaling-supported auto,auto-fit,fill,fit,none',
    'keyword print-scaling-default auto',
    'resolution printer-resolution-supported 203dpi,300dpi',
    'resolution printer-resolution-default 203dpi',
    'resolution pwg-raster-document-resolution-supported 203dpi,300dpi',
    `keyword pwg-raster-document-type-supported ${rasterTypes.join()}`,
    'textWithoutLanguage printer-make-and-model "Test Label 4x6"',
    `textWithoutLanguage printer-device-id "MFG:Test;MDL:Label;CMD:PDF,PWG;"`,
    `mimeMediaType document-format-supported ${formats.join()}`,
    `mimeMediaType document-format-default ${formats[0] ?? ''}`,
    'boolean color-supported false',
    'keyword print-color-mode-supported monochrome',
    'keyword print-color-mode-default monochrome',
    'keyword sides-supported one-sided',
    'keyword sides-default one-sided',
    'enum print-quality-supported 4',
    'enum print-quality-default 4',
    'rangeOfInteger copies-supported 1-99',
    'integer copies-default 1',
    'enum finishings-supported 3',
    'enum finishings-default 3',
    'enum orientation-requested-supported 3,4,5,6',
    'no-value orientation-requested-default',
    'keyword output-bin-supported face-up',
    'keyword output-bin-default face-up',
  ]
    .map((line) => `ATTR ${line}\n`)
    .join('')
}
