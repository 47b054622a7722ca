import { mkdirSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { commandLine } from './command-line.ts'

const overridden = new Map<string, string>()
const homeFolders = ['desktop', 'documents', 'downloads', 'music', 'pictures', 'videos']

function defaultPath(name: string, appName: string): string {
  const config = process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config')
  if (homeFolders.includes(name)) return join(homedir(), name.charAt(0).toUpperCase() + name.slice(1))
  switch (name) {
    case 'home':
      return homedir()
    case 'appData':
      return config
    case 'temp':
      return tmpdir()
    case 'exe':
    case 'module':
      return process.execPath
    case 'userData': {
      const given = commandLine.getSwitchValue('user-data-dir')
      return given === '' ? join(config, appName) : given
    }
    case 'sessionData':
      return getPath('userData', appName)
    case 'logs':
      return join(getPath('userData', appName), 'logs')
    case 'crashDumps':
      return join(getPath('userData', appName), 'Crashpad')
    default:
      throw new Error(`Failed to get '${name}' path`)
  }
}

/** Implements app.getPath. Like Electron, it creates the folders userData and logs when the app first requests them. */
export function getPath(name: string, appName: string): string {
  const path = overridden.get(name) ?? defaultPath(name, appName)
  if (name === 'userData' || name === 'logs') mkdirSync(path, { recursive: true })
  return path
}

/** Implements app.setPath. @throws for a relative path, as Electron does. */
export function setPath(name: string, path: string): void {
  if (!isAbsolute(path)) throw new Error('Path must be absolute')
  overridden.set(name, path)
}
