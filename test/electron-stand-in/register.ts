// Loaded by node --import: resolves `electron` to the stand-in, for import and for require, and makes this process look
// like Electron's.
import { readFileSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { becomeUtility } from './utility-child.ts'

const standIn = new URL('./electron.ts', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) =>
    /^electron(\/(main|common|utility))?$/.test(specifier)
      ? { url: standIn, format: 'module-typescript', shortCircuit: true }
      : next(specifier, context),
})

function installedVersion(): string {
  const file = createRequire(import.meta.url).resolve('electron/package.json')
  const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : ''
}

const versions = { ...process.versions, electron: installedVersion() }
Object.defineProperty(process, 'versions', { value: versions, configurable: true })
if (process.env['STANDIN_UTILITY'] === undefined) {
  Object.assign(process, { type: 'browser', defaultApp: true, resourcesPath: process.cwd() })
} else becomeUtility()
