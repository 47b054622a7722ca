/**
 * A file operation of a process in one folder, recorded by strace, in the order in which the calls ended. strace runs
 * with `-f -qq -xx -s <enough>`, so every string is in hex and complete.
 */
export type FileCall =
  | { readonly do: 'create' | 'mkdir' | 'unlink'; readonly path: string }
  | { readonly do: 'sync'; readonly path: string }
  | { readonly do: 'write'; readonly path: string; readonly at: number; readonly bytes: Buffer }
  | { readonly do: 'truncate'; readonly path: string; readonly length: number }
  | { readonly do: 'rename'; readonly path: string; readonly to: string }
  /** The process reported on its standard output that this number of actions is done. */
  | { readonly do: 'acknowledge'; readonly deed: number }

export const tracedCalls =
  'open,openat,close,write,pwrite64,writev,pwritev,ftruncate,truncate,fsync,fdatasync,sync_file_range,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,lseek,fallocate,copy_file_range,sendfile,mmap'

interface OpenFile {
  readonly path: string
  /** The current position in the file, for a write without a position. */
  at: number
}

/**
 * System calls that change the content of a file and that `readTrace` cannot parse. If the recorded process used one of
 * them on a file of the folder, the trace is useless.
 */
const unread = ['writev', 'pwritev', 'truncate', 'fallocate', 'copy_file_range', 'sendfile']

/** Parses a trace and omits the calls outside `folder`. Throws for a call whose effect it cannot determine. */
export function readTrace(text: string, folder: string): FileCall[] {
  const reader = new TraceReader(folder)
  const unfinished = new Map<string, string>()
  for (const line of text.split('\n')) {
    const parts = /^(\d+)\s+(.*)$/.exec(line)
    if (!parts) continue
    const [, pid = '', rest = ''] = parts
    const begun = /^(.*) <unfinished \.\.\.>$/.exec(rest)
    if (begun) {
      unfinished.set(pid, begun[1] ?? '')
      continue
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest)
    reader.take(resumed ? `${unfinished.get(pid) ?? ''}${resumed[1] ?? ''}` : rest)
  }
  return reader.calls
}

class TraceReader {
  readonly calls: FileCall[] = []
  readonly #folder: string
  readonly #open = new Map<number, OpenFile>()
  /** The paths that exist in the folder. They show whether an open created its file or found it. */
  readonly #names = new Set<string>()

  constructor(folder: string) {
    this.#folder = folder
  }

  take(call: string): void {
    const parts = /^(\w+)\((.*)\)\s+= (-?\d+)/.exec(call)
    if (!parts) return
    const [, name = '', args = '', result = ''] = parts
    const answer = Number(result)
    if (answer < 0) return
    const strings = [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?/g)]
    if (strings.some(([, , cut]) => cut === '...')) throw new Error('the trace cut a string')
    const bytes = strings.map(([, hex = '']) => Buffer.from(hex.replaceAll('\\x', ''), 'hex'))
    const paths = bytes.map((one) => this.#own(one.toString()))
    const numbers = args.replaceAll(/"[^"]*"/g, '').split(',')
    const descriptor = Number.parseInt(args, 10)
    this.#follow(name, { answer, bytes, paths, numbers, descriptor, args })
  }

  #follow(
    name: string,
    {
      answer,
      bytes,
      paths,
      numbers,
      descriptor,
      args,
    }: {
      answer: number
      bytes: Buffer[]
      paths: (string | null)[]
      numbers: string[]
      descriptor: number
      args: string
    },
  ): void {
    const [path = null, to = null] = paths
    const file = this.#open.get(descriptor)
    const [content = Buffer.alloc(0)] = bytes
    // `truncate` names its file by the path. For `copy_file_range`, the third argument is the file to which it writes.
    const written = name === 'copy_file_range' ? this.#open.get(Number(numbers[2])) : file
    const unreadOf = name === 'truncate' ? path : (written?.path ?? null)
    if (unread.includes(name) && unreadOf !== null) throw new Error(`${name} on ${unreadOf} is not modelled`)
    switch (name) {
      case 'open':
      case 'openat':
        this.#open.delete(answer)
        if (path !== null) this.#opened(answer, path, args)
        return
      case 'close':
        this.#open.delete(descriptor)
        return
      case 'lseek':
        if (file) file.at = answer
        return
      case 'pwrite64':
        if (file) this.#write(file, Number(numbers.at(-1)), content.subarray(0, answer))
        return
      case 'write':
        if (file) {
          this.#write(file, file.at, content.subarray(0, answer))
          file.at += answer
        } else if (descriptor === 1) this.#heard(content.toString())
        return
      case 'mmap':
        if (/PROT_WRITE/.test(args) && /MAP_SHARED/.test(args)) this.#mapped(Number(numbers.at(-2)))
        return
      case 'ftruncate':
        if (file) this.calls.push({ do: 'truncate', path: file.path, length: Number(numbers.at(-1)) })
        return
      case 'fsync':
      case 'fdatasync':
        if (file) this.calls.push({ do: 'sync', path: file.path })
        return
      case 'mkdir':
      case 'mkdirat':
        if (path !== null) this.calls.push({ do: 'mkdir', path })
        return
      case 'unlink':
      case 'unlinkat':
        if (path === null) return
        this.#names.delete(path)
        this.calls.push({ do: 'unlink', path })
        return
      case 'rename':
      case 'renameat':
      case 'renameat2':
        if (path === null || to === null) return
        this.#names.delete(path)
        this.#names.add(to)
        this.calls.push({ do: 'rename', path, to })
    }
  }

  #opened(descriptor: number, path: string, flags: string): void {
    const isNew = flags.includes('O_CREAT') && !this.#names.has(path)
    if (isNew) this.calls.push({ do: 'create', path })
    if (flags.includes('O_CREAT')) this.#names.add(path)
    if (!isNew && flags.includes('O_TRUNC')) this.calls.push({ do: 'truncate', path, length: 0 })
    if (flags.includes('O_APPEND')) throw new Error(`appending to ${path} is not modelled`)
    this.#open.set(descriptor, { path, at: 0 })
  }

  #write({ path }: OpenFile, at: number, bytes: Buffer): void {
    this.calls.push({ do: 'write', path, at, bytes: Buffer.from(bytes) })
  }

  /**
   * Throws for a mapped file, because strace does not record writes to a mapping. The shared memory of SQLite may be
   * mapped, because it is created again after a power cut.
   */
  #mapped(descriptor: number): void {
    const file = this.#open.get(descriptor)
    if (file && !file.path.endsWith('-shm'))
      throw new Error(`writing to the mapped ${file.path} is not modelled`)
  }

  #heard(text: string): void {
    for (const [, deed] of text.matchAll(/ACK (\d+)\n/g))
      this.calls.push({ do: 'acknowledge', deed: Number(deed) })
  }

  /** Returns the path inside the folder, `.` for the folder itself, or null for other paths. */
  #own(path: string): string | null {
    if (path === this.#folder) return '.'
    return path.startsWith(`${this.#folder}/`) ? path.slice(this.#folder.length + 1) : null
  }
}
