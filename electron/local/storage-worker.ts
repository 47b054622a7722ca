import { parentPort, workerData } from 'node:worker_threads'
import { type CareJob, takeCare } from './file-care.ts'

parentPort?.postMessage(takeCare(workerData as CareJob))
