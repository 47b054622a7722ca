import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { FileCall } from './trace.ts'

/**
 * A possible content of a disk after a power cut.
 * - Files: all data up to the last fsync of the file, and any selection of the later writes and truncations, even with
 *   gaps. A write may stop at any of its 512-byte sectors.
 * - Names in folders (created, renamed, removed): all changes up to the last fsync of the folder, and the first part of
 *   the later changes, because journaling file systems keep their order. An fsync of a file stores no name.
 *
 * Two faults of a disk are not included: it falsely reports a write as done, or it damages other data.
 */
export interface DiskState {
  /** Number of actions that were acknowledged before the power cut. */
  readonly acknowledged: number
  readonly files: ReadonlyMap<string, Buffer>
}

type NameCall = Extract<FileCall, { do: 'create' | 'mkdir' | 'unlink' | 'rename' }>
type ContentCall = Extract<FileCall, { do: 'write' | 'truncate' }>

interface File {
  /** The content of the file at the last fsync. */
  readonly kept: Content
  pending: ContentCall[]
}

/**
 * A call that created, renamed or removed a name in a folder. `file`: the file that has the name afterwards; null for a
 * folder or a removed name.
 */
interface NameChange {
  readonly call: NameCall
  readonly file: File | null
}

/**
 * For each of the ascending numbers in `cuts`, returns a possible disk state after a power cut that follows this number
 * of calls.
 */
export function* cutPower(
  calls: readonly FileCall[],
  cuts: readonly number[],
  random: () => number,
): Generator<DiskState> {
  const disk = new Disk()
  let acknowledged = 0
  let done = 0
  for (const cut of cuts) {
    for (const call of calls.slice(done, cut)) {
      if (call.do === 'acknowledge') acknowledged = call.deed
      else disk.take(call)
    }
    done = cut
    yield { acknowledged, files: disk.afterPowerCut(random) }
  }
}

/** Writes the files of a disk after a power cut (`state`) below `folder`, except those that `leaveOut` selects. */
export function layOut(state: DiskState, folder: string, leaveOut: (path: string) => boolean): void {
  for (const [path, bytes] of state.files) {
    // Files of shared memory are omitted, because they are not on the disk.
    if (leaveOut(path) || path.endsWith('-shm')) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), bytes)
  }
}

class Disk {
  /** The files by path, as the process sees them: with all changes of names, also those that no fsync has stored. */
  readonly #seen = new Map<string, File>()
  /**
   * The names of files and folders that an fsync of their folder has stored on the disk. The value is the file, or null
   * for a folder.
   */
  readonly #kept = new Map<string, File | null>()
  readonly #pending = new Map<string, NameChange[]>()

  take(call: Exclude<FileCall, { do: 'acknowledge' }>): void {
    switch (call.do) {
      case 'write':
      case 'truncate':
        this.#seen.get(call.path)?.pending.push(call)
        return
      case 'sync':
        this.#sync(call.path)
        return
      case 'create':
        this.#rename(call, { kept: new Content(), pending: [] })
        return
      case 'mkdir':
        this.#change(call, null)
        return
      case 'unlink':
        this.#seen.delete(call.path)
        this.#change(call, null)
        return
      case 'rename': {
        const file = this.#seen.get(call.path)
        this.#seen.delete(call.path)
        if (file) this.#rename(call, file)
      }
    }
  }

  afterPowerCut(random: () => number): Map<string, Buffer> {
    const names = new Map(this.#kept)
    for (const changes of this.#pending.values()) {
      const some = Math.floor(random() * (changes.length + 1))
      for (const change of changes.slice(0, some)) apply(names, change)
    }
    const keep = [0, 0, 0.2, 0.5, 0.8, 1][Math.floor(random() * 6)] ?? 0
    const files = new Map<string, Buffer>()
    for (const [path, file] of names) {
      if (!file || !isReachable(names, path)) continue
      files.set(path, surviving(file, keep, random))
    }
    return files
  }

  #sync(path: string): void {
    const changes = this.#pending.get(path)
    if (changes) {
      for (const change of changes) apply(this.#kept, change)
      this.#pending.delete(path)
    }
    const file = this.#seen.get(path)
    if (!file) return
    for (const one of file.pending) file.kept.take(one)
    file.pending = []
  }

  #rename(call: NameCall, file: File): void {
    this.#seen.set(call.do === 'rename' ? call.to : call.path, file)
    this.#change(call, file)
  }

  #change(call: NameCall, file: File | null): void {
    const folder = dirname(call.path)
    this.#pending.set(folder, [...(this.#pending.get(folder) ?? []), { call, file }])
  }
}

function apply(names: Map<string, File | null>, { call, file }: NameChange): void {
  if (call.do === 'unlink' || call.do === 'rename') names.delete(call.path)
  if (call.do === 'rename') names.set(call.to, file)
  if (call.do === 'create' || call.do === 'mkdir') names.set(call.path, file)
}

/** If a folder has lost its name in its parent folder, its content is lost too. */
function isReachable(names: ReadonlyMap<string, File | null>, path: string): boolean {
  const folder = dirname(path)
  return folder === '.' || (names.has(folder) && isReachable(names, folder))
}

function surviving(file: File, keep: number, random: () => number): Buffer {
  const content = file.kept.copy()
  for (const call of file.pending) {
    if (random() >= keep) continue
    const isTorn = call.do === 'write' && call.bytes.length > 512 && random() < 0.3
    const sectors = isTorn ? 1 + Math.floor(random() * Math.floor(call.bytes.length / 512)) : 0
    content.take(isTorn ? { ...call, bytes: call.bytes.subarray(0, sectors * 512) } : call)
  }
  return content.bytes()
}

/** The bytes of a file, in a buffer that can grow. */
class Content {
  #room = Buffer.alloc(0)
  #length = 0

  take(call: ContentCall): void {
    if (call.do === 'truncate') {
      this.#grow(call.length)
      this.#room.fill(0, call.length)
      this.#length = call.length
      return
    }
    const end = call.at + call.bytes.length
    this.#grow(end)
    call.bytes.copy(this.#room, call.at)
    this.#length = Math.max(this.#length, end)
  }

  copy(): Content {
    const other = new Content()
    other.#room = Buffer.from(this.#room)
    other.#length = this.#length
    return other
  }

  bytes(): Buffer {
    return this.#room.subarray(0, this.#length)
  }

  #grow(length: number): void {
    if (length <= this.#room.length) return
    const room = Buffer.alloc(length * 2)
    this.#room.copy(room)
    this.#room = room
  }
}
