import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { PDFiumLibrary } from '@hyzyla/pdfium'

/**
 * All that pdfium may ever hold. An A4 sheet at 300 dpi takes 80 MB, and four times that for each layer of
 * transparency; a page that unpacks to gigabytes is stopped here, and not where the computer ends.
 */
const mostMemoryBytes = 768 << 20
/** Memory that grew so far does not shrink again: such an instance is left behind with its document. */
const keptMemoryBytes = 192 << 20
const wasmPageBytes = 65_536

interface WasmMemory {
  readonly buffer: { readonly byteLength: number }
  grow: (pages: number) => number
}

/** Node has it; its types do not. Of what an instance exports only the memory is of interest here. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>
  Instance: new (module: object, imports: object) => { readonly exports: Record<string, never> }
  Memory: new (size: object) => WasmMemory
}

/** One pdfium with memory of its own. */
export interface PdfiumInstance {
  readonly library: Awaited<ReturnType<typeof PDFiumLibrary.init>>
  /** Whether a document asked for more memory than there is. */
  readonly isExhausted: () => boolean
  readonly memoryBytes: () => number
}

let compiled: Promise<object> | null = null
let current: Promise<PdfiumInstance> | null = null

/** Its 4 MB take longer to compile than a label takes to render: once a thread. */
function compilePdfium(): Promise<object> {
  compiled ??= readFile(createRequire(import.meta.url).resolve('@hyzyla/pdfium/pdfium.wasm')).then((bytes) =>
    WebAssembly.compile(bytes),
  )
  return compiled
}

/** The pdfium that takes the next document. */
export function openPdfium(): Promise<PdfiumInstance> {
  current ??= startPdfium()
  return current
}

/** A pdfium that aborted answers every later document with errors, so nobody gets it again. */
export function leavePdfium(): void {
  current = null
}

/** Whether an error is pdfium's own end, and not its answer to a document. */
export function isFatal(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.name === 'RuntimeError')
}

/** Leaves a pdfium that has grown large, once its document is closed. */
export async function tidyPdfium(): Promise<void> {
  if (current && (await current).memoryBytes() > keptMemoryBytes) leavePdfium()
}

async function startPdfium(): Promise<PdfiumInstance> {
  const module = await compilePdfium()
  let memory: WasmMemory | null = null
  let isExhausted = false
  const library = await PDFiumLibrary.init({
    instantiateWasm: (imports: object, started: (instance: object) => void) => {
      const instance = new WebAssembly.Instance(module, imports)
      memory = capped(instance.exports, () => {
        isExhausted = true
      })
      // the package says Module here and uses what it gets as the instance
      started(instance)
      return instance.exports
    },
  })
  const memoryBytes = (): number => memory?.buffer.byteLength ?? 0
  return { library, isExhausted: () => isExhausted, memoryBytes }
}

/** The memory among an instance's exports, which from now on refuses to grow beyond the most. */
function capped(exports: Readonly<Record<string, never>>, onRefused: () => void): WasmMemory {
  const memory = Object.values<unknown>(exports).find((value) => value instanceof WebAssembly.Memory)
  if (!memory) throw new TypeError('pdfium without memory')
  const grow = memory.grow.bind(memory)
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * wasmPageBytes > mostMemoryBytes) {
      onRefused()
      // its allocator hears "no more", as it would from the computer
      throw new RangeError('more memory than a label takes')
    }
    return grow(pages)
  }
  return memory
}
