/** `npm run gallery`: serves every screen in every state for a browser and follows changes of the sources. */
import { servePage } from '../../electron/launch/page-server.ts'
import config from './vite.config.ts'

const { address, close } = await servePage(config)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void close().then(() => process.exit(0)))
console.log(`Every screen in every state: ${address}all.html`)
console.log('Ctrl-C ends.')
