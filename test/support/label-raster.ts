import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Bitmap } from '#labels/pixels/bitmap.ts'

const run = promisify(execFile)

async function answers(program: string, flag: string): Promise<boolean> {
  return run(program, [flag]).then(
    () => true,
    (error: unknown) => !(error instanceof Error && 'code' in error && error.code === 'ENOENT'),
  )
}

/** Whether poppler-utils and zbar-tools are installed. Otherwise the tests that need them are skipped with a notice. */
export async function canDecodeLabels(): Promise<boolean> {
  return (await answers('pdftoppm', '-v')) && (await answers('zbarimg', '--version'))
}

/** One page in grey values at a resolution, with one byte for each dot; 0 is black. */
export interface Raster {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
}

export interface DecodedCode {
  readonly symbology: string
  readonly text: string
}

/** Reads a binary PGM picture that pdftoppm wrote. */
function parsePgm(bytes: Uint8Array): Raster {
  const header = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(Buffer.from(bytes.subarray(0, 64)).toString('latin1'))
  if (!header) throw new Error('not a binary PGM of 8 bits')
  return { width: Number(header[1]), height: Number(header[2]), pixels: bytes.subarray(header[0].length) }
}

/** Returns every barcode that zbar finds in a picture. */
async function codesIn(folder: string, file: string): Promise<DecodedCode[]> {
  // Exit code 4 is not an error: zbar ran and found no barcode.
  const { stdout } = await run('zbarimg', ['-q', file], { cwd: folder }).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 4) return { stdout: '' }
    throw error
  })
  return stdout
    .split('\n')
    .filter((line) => line.includes(':'))
    .map((line) => ({
      symbology: line.slice(0, line.indexOf(':')),
      text: line.slice(line.indexOf(':') + 1),
    }))
}

/** Returns every barcode that zbar finds in a bitmap of the dots that a printer would print. */
export async function readBitmap({ widthDots, heightDots, bytes }: Bitmap): Promise<DecodedCode[]> {
  const folder = await mkdtemp(join(tmpdir(), 'scandesk-bitmap-'))
  try {
    const header = `P4\n${String(widthDots)} ${String(heightDots)}\n`
    await writeFile(join(folder, 'label.pbm'), Buffer.concat([Buffer.from(header), bytes]))
    return await codesIn(folder, 'label.pbm')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Returns every barcode that zbar finds in a PNG. */
export async function readPng(png: Uint8Array): Promise<DecodedCode[]> {
  const folder = await mkdtemp(join(tmpdir(), 'scandesk-page-'))
  try {
    await writeFile(join(folder, 'page.png'), png)
    return await codesIn(folder, 'page.png')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Returns every page of a PDF as PNG, drawn by poppler at this resolution. */
export async function pagesOf(pdf: Uint8Array, dotsPerInch: number): Promise<Uint8Array[]> {
  const folder = await mkdtemp(join(tmpdir(), 'scandesk-pages-'))
  try {
    await writeFile(join(folder, 'label.pdf'), pdf)
    await run('pdftoppm', ['-gray', '-png', '-r', String(dotsPerInch), 'label.pdf', 'page'], { cwd: folder })
    const files = (await readdir(folder)).filter((name) => name.endsWith('.png')).sort()
    return await Promise.all(files.map((file) => readFile(join(folder, file))))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Returns the first page of a PDF as a viewer shows it, with every barcode that zbar finds on it. */
export async function readLabel(
  pdf: Uint8Array,
  dotsPerInch = 203,
): Promise<{ raster: Raster; codes: DecodedCode[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'scandesk-label-'))
  try {
    await writeFile(join(folder, 'label.pdf'), pdf)
    await run('pdftoppm', ['-gray', '-singlefile', '-r', String(dotsPerInch), 'label.pdf', 'label'], {
      cwd: folder,
    })
    const raster = parsePgm(await readFile(join(folder, 'label.pgm')))
    const codes = await codesIn(folder, 'label.pgm')
    return { raster, codes }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
