import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { runInNewContext } from 'node:vm'
import { debug } from '../environment.ts'
import { deepFreeze, makeBridge, startMainWorld } from './bridge.ts'
import {
  base64ToBytes,
  bytesToBase64,
  decode,
  decodeBytes,
  decodeError,
  decodeLeaf,
  decodeList,
  encode,
  encodeSpecial,
  isFunction,
  type PageFunction,
} from './codec.ts'
import { makeIpcRenderer, startPreloadWorld, type PreloadConfig } from './preload-world.ts'

/** All functions that the code in the page may call, as declarations that can refer to each other. */
const shared = [
  isFunction,
  bytesToBase64,
  base64ToBytes,
  encodeSpecial,
  encode,
  decodeError,
  decodeBytes,
  decodeLeaf,
  decode,
  decodeList,
  makeBridge,
  deepFreeze,
  startMainWorld,
  makeIpcRenderer,
  startPreloadWorld,
].join('\n')

/**
 * Returns code that runs only in the top frame and only once. A popup's first document can inherit the window object of
 * its about:blank, in which the code has already run.
 */
function once(key: string, code: string): string {
  const mark = JSON.stringify(`${key}Started`)
  return `if(window===window.top&&!(${mark} in globalThis)){Object.defineProperty(globalThis,${mark},{value:true});${code}}`
}

/**
 * Returns source text for the page's own world. The text starts the bridge. Then it runs the functions that the
 * preload, at its top level, passes to contextBridge.executeInMainWorld. In Electron, these functions run when the
 * preload calls this method, and it returns their results. Here they run before the preload, which gets no results. The
 * reason: while the preload runs, the content security policy of a document already forbids the evaluation of source
 * text.
 */
export function mainWorldSource(key: string, preloadFile: string): string {
  const calls = callsInMainWorld(readFileSync(preloadFile, 'utf8')).join(';')
  return once(key, `(()=>{'use strict';${shared}\nstartMainWorld(${JSON.stringify(key)})})();${calls}`)
}

/**
 * Runs a preload once in a separate context, with a module `electron` that only records the functions for the page's
 * world.
 */
function callsInMainWorld(bundle: string): string[] {
  const calls: string[] = []
  const note = ({ func, args = [] }: { func: PageFunction; args?: unknown[] }): void => {
    calls.push(`(${String(func)})(...${JSON.stringify(args)})`)
  }
  const idle = (): void => undefined
  const ipcRenderer = { on: idle, once: idle, off: idle, send: idle, invoke: () => new Promise(idle) }
  const electron = { contextBridge: { exposeInMainWorld: idle, executeInMainWorld: note }, ipcRenderer }
  const module = { exports: {} }
  try {
    runInNewContext(bundle, {
      require: () => electron,
      module,
      exports: module.exports,
      process: { versions: {} },
    })
  } catch (error) {
    debug('the rehearsal of the preload ended early', error)
  }
  return calls
}

/**
 * Returns source text for the isolated world: the CommonJS bundle at `preloadFile` with the modules that it may
 * require.
 */
export function preloadWorldSource(preloadFile: string, config: PreloadConfig): string {
  const bundle = readFileSync(preloadFile, 'utf8')
  const call = `((run)=>{'use strict';${shared}\nstartPreloadWorld(${JSON.stringify(config)},run)})`
  const code = once(config.key, `${call}(function(require,module,exports,process,global){${bundle}\n})`)
  return `${code}\n//# sourceURL=${pathToFileURL(preloadFile).href}`
}
