import { mkdirSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { StoreBench } from '#support/store-bench.ts'
import { dropSegments, readJournal } from '#local/journal/journal-files.ts'

// what another desk on the same folder does after a backup, over and over
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

it('reads a journal whose old files another process removes meanwhile', async () => {
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
