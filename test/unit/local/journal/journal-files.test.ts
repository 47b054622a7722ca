import { appendFileSync, existsSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { StoreBench } from '#support/store-bench.ts'
import { dropSegments, readJournal, segmentFile } from '#local/journal/journal-files.ts'
import { encodeLine } from '#local/journal/journal-lines.ts'

// a worker thread that acts as another desk: it creates and removes files in the same folder, as a desk does after a
// backup
const otherDesk = `
  const { workerData, parentPort } = require('node:worker_threads')
  const { rmSync, writeFileSync } = require('node:fs')
  const files = Array.from({ length: 20 }, (_, index) => workerData + '/' + (index + 1) + '.jsonl')
  parentPort.on('message', () => process.exit())
  const turn = () => {
    for (const file of files) writeFileSync(file, '')
    for (const file of files) rmSync(file, { force: true })
    setImmediate(turn)
  }
  turn()
`

describe('the files of the journal', () => {
  it('can be read while another desk creates and removes files of the journal', async () => {
    const bench = await StoreBench.create()
    const folder = join(bench.dataDir, 'journal')
    mkdirSync(folder)
    const other = new Worker(otherDesk, { eval: true, workerData: folder })
    await once(other, 'online')
    try {
      for (let round = 0; round < 500; round++) {
        expect(readJournal(folder).last).toBe(null)
        dropSegments(folder, 21, { seq: 0, oldSeq: 20, before: 0 })
      }
    } finally {
      other.postMessage('end')
      await once(other, 'exit')
      await bench.dispose()
    }
  })

  const mebibyte = 1024 * 1024

  it('are removed by the age of their last complete line, even if a file has 600 MiB', async () => {
    const bench = await StoreBench.create()
    try {
      const lineOf = (seq: number, at: number): string => encodeLine({ seq, at, desk: 'd', prev: '' }).text
      const file = segmentFile(bench.dataDir, 1)
      writeFileSync(file, lineOf(1, 1_000))
      // the file is longer than the longest string of Node.js; the gap in it uses no space on the disk
      truncateSync(file, 600 * mebibyte)
      appendFileSync(file, lineOf(2, 5_000))
      appendFileSync(file, lineOf(3, 9_000).slice(0, -2))
      dropSegments(bench.dataDir, 4, { seq: 0, oldSeq: 3, before: 5_000 })
      expect(existsSync(file)).toBe(true)
      dropSegments(bench.dataDir, 4, { seq: 0, oldSeq: 3, before: 5_001 })
      expect(existsSync(file)).toBe(false)
    } finally {
      await bench.dispose()
    }
  })

  it('return their last line even if the line is too long for one read', async () => {
    const bench = await StoreBench.create()
    try {
      const file = segmentFile(bench.dataDir, 1)
      const write = ['key', ['é'.repeat(200_000)], 1] as [string, unknown[], number]
      for (let seq = 1; seq <= 3; seq++)
        appendFileSync(file, encodeLine({ seq, at: seq * 1_000, desk: 'd', prev: '', writes: [write] }).text)
      const history = readJournal(bench.dataDir)
      expect(history.last && history.writes(history.last)).toEqual([write])
      dropSegments(bench.dataDir, 4, { seq: 0, oldSeq: 3, before: 3_000 })
      expect(existsSync(file)).toBe(true)
      dropSegments(bench.dataDir, 4, { seq: 0, oldSeq: 3, before: 3_001 })
      expect(existsSync(file)).toBe(false)
      expect(history.last && history.writes(history.last)).toBeNull()
    } finally {
      await bench.dispose()
    }
  })
})
