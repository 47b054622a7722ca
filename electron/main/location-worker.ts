import { parentPort, workerData } from 'node:worker_threads'
import { readLocationFile } from './location-file.ts'

/** Entry of the thread that reads one file of locations (location-file.ts). */
parentPort?.postMessage(readLocationFile(String(workerData)))
