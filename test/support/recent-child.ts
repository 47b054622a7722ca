import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { openRecentDatabase } from '#local/recent/recent-database.ts'

// A thread that opens recent.db in the given folder when it receives a message.
parentPort?.postMessage('ready')
if (parentPort) await once(parentPort, 'message')
let answer = 'opened'
try {
  openRecentDatabase(String(workerData), () => (answer = 'healed')).close()
} catch (error) {
  answer = error instanceof Error ? `${error.message}: ${String(error.cause)}` : String(error)
}
parentPort?.postMessage(answer)
parentPort?.close()
