/**
 * Opens and closes the store of a desk. A test runs it under strace, which lets reads of one file fail. Argument: the
 * data folder. Writes the caches that were lost to stdout, as JSON.
 */
import { writeSync } from 'node:fs'
import { openStore } from '#local/open-store.ts'
import { scopeKeyOf } from './ids.ts'

const lost: string[] = []
const store = await openStore(process.argv[2] ?? '', scopeKeyOf('scope'), (what) => lost.push(what))
store.close()
writeSync(1, JSON.stringify(lost))
