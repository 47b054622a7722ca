import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
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
} from './codec.ts'
import { makeIpcRenderer, startPreloadWorld, type PreloadConfig } from './preload-world.ts'

/** Everything that the page-side code may call, as declarations that see each other. */
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

/** Only in the top frame, and once: a popup's first document can inherit the window of its about:blank. */
function once(key: string, code: string): string {
  const mark = JSON.stringify(`${key}Started`)
  return `if(window===window.top&&!(${mark} in globalThis)){Object.defineProperty(globalThis,${mark},{value:true});${code}}`
}

/** Source text for the page's own world. */
export function mainWorldSource(key: string): string {
  return once(key, `(()=>{'use strict';${shared}\nstartMainWorld(${JSON.stringify(key)})})()`)
}

/** Source text for the isolated world: the CommonJS bundle at `preloadFile` with what it may require. */
export function preloadWorldSource(preloadFile: string, config: PreloadConfig): string {
  const bundle = readFileSync(preloadFile, 'utf8')
  const call = `((run)=>{'use strict';${shared}\nstartPreloadWorld(${JSON.stringify(config)},run)})`
  const code = once(config.key, `${call}(function(require,module,exports,process,global){${bundle}\n})`)
  return `${code}\n//# sourceURL=${pathToFileURL(preloadFile).href}`
}
