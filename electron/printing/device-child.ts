import { execFile } from 'node:child_process'
import * as fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isatty } from 'node:tty'
import { promisify } from 'node:util'
import { parentLink } from '#kit/child-process.ts'

/**
 * Entry of the process that keeps a device file open (raw-connection.ts). The process runs until its parent kills it.
 */

/** Messages to the process that has a device open. */
export type DeviceOrder =
  | { readonly do: 'open'; readonly path: string }
  | { readonly do: 'write'; readonly bytes: Uint8Array }
  | { readonly do: 'close' }

/**
 * Messages from the process that has a device open: a response to each `DeviceOrder`, and at any time bytes from the
 * device or the loss of the device.
 */
export type DeviceWord =
  | { readonly say: 'opened' | 'written' | 'closed' }
  | { readonly say: 'failed' | 'lost'; readonly cause: string }
  | { readonly say: 'bytes'; readonly bytes: Uint8Array }

// uses file descriptors instead of a FileHandle, because closing a FileHandle waits until its running read ends, which
// may never happen
const open = promisify(fs.open)
const read = promisify(fs.read)
const write = promisify(fs.write)

const { O_RDWR, O_WRONLY, O_NONBLOCK, O_NOCTTY } = fs.constants
/** Pause between two reads of a terminal, in milliseconds. For any other device the read itself waits for data. */
const againMs = 5
/**
 * Pause after a read that returned no data, in milliseconds. Without the pause the reads would follow each other too
 * fast, because some devices return from such a read at once.
 */
const pauseMs = 20

interface Device {
  readonly fd: number
  readonly canRead: boolean
}

let device: Device | null = null
let isClosing = false

const { say, listen } = parentLink<DeviceOrder, DeviceWord>()

/** Opens a device for writing and, if that is permitted, for reading the printer's responses. */
async function openAny(path: string, flags: number): Promise<Device> {
  try {
    return { fd: await open(path, O_RDWR | flags), canRead: true }
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS', 'EINVAL'].includes(codeOf(error))) throw error
    return { fd: await open(path, O_WRONLY | flags), canRead: false }
  }
}

/**
 * Opens a printer's device. Checks the file before it is opened, because opening a pipe affects the other end of the
 * pipe. Checks the opened file again. A device that is no terminal is then opened again without the flag O_NONBLOCK.
 * With this flag Linux would report bytes as written that are still in transit, and would discard these bytes when the
 * file is closed.
 */
async function openDevice(path: string): Promise<Device> {
  if (!fs.statSync(path).isCharacterDevice()) throw new NoDevice()
  const looked = await openAny(path, O_NONBLOCK | O_NOCTTY)
  if (!fs.fstatSync(looked.fd).isCharacterDevice()) throw new NoDevice()
  if (isatty(looked.fd)) {
    // a terminal gets the mode `raw`, because a terminal otherwise converts each line feed to two bytes and sends the
    // printer's responses back
    await promisify(execFile)('stty', ['-F', path, 'raw', '-echo'])
    return looked
  }
  fs.closeSync(looked.fd)
  return openAny(path, O_NOCTTY)
}

class NoDevice extends Error {
  readonly code = 'not_a_device'
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}

async function writeAll({ fd }: Device, bytes: Uint8Array): Promise<void> {
  for (let from = 0; from < bytes.length;) {
    try {
      from += (await write(fd, bytes, from, bytes.length - from, null)).bytesWritten
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN') throw error
      await sleep(againMs)
    }
  }
}

async function readOn({ fd }: Device): Promise<void> {
  const buffer = new Uint8Array(512)
  while (!isClosing) {
    try {
      const { bytesRead } = await read(fd, buffer, 0, buffer.length, null)
      if (bytesRead > 0) say({ say: 'bytes', bytes: buffer.slice(0, bytesRead) })
      else await sleep(pauseMs)
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN') throw error
      await sleep(againMs)
    }
  }
}

async function obey(order: DeviceOrder): Promise<void> {
  if (order.do === 'open') {
    const opened = await openDevice(order.path)
    device = opened
    say({ say: 'opened' })
    if (opened.canRead)
      readOn(opened).catch((error: unknown) => {
        if (!isClosing) say({ say: 'lost', cause: codeOf(error) })
      })
  } else if (!device) say({ say: 'failed', cause: 'not_open' })
  else if (order.do === 'write') {
    await writeAll(device, order.bytes)
    say({ say: 'written' })
  } else {
    isClosing = true
    fs.closeSync(device.fd)
    say({ say: 'closed' })
  }
}

listen((order) => {
  obey(order).catch((error: unknown) => say({ say: 'failed', cause: codeOf(error) }))
})
