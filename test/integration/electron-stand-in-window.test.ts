import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { removeAll, standIn } from '#stand-in/probe/launch.ts'
import { startProgram, waitUntil } from '#support/child-program.ts'

const hasDisplayServer = (process.env['PATH'] ?? '')
  .split(delimiter)
  .some((folder) => existsSync(join(folder, 'Xvfb')))

let folder: string
let server: ChildProcess | undefined
let display = ''

/** An app that prints the inner and outer size of its window, closes the window, and quits a moment later. */
const main = `
  import { app, BrowserWindow } from 'electron'
  app.setPath('userData', import.meta.dirname + '/data')
  app.on('window-all-closed', () => setTimeout(() => (console.log('all closed'), app.quit()), 1000))
  void app.whenReady().then(async () => {
    const window = new BrowserWindow({ width: 640, height: 400 })
    await window.loadURL('data:text/html,<title>Shown</title>')
    const size = '({ inner: [innerWidth, innerHeight], outer: outerHeight, title: document.title })'
    console.log(JSON.stringify(await window.webContents.executeJavaScript(size)))
    window.close()
  })
`

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stand-in-window-'))
  writeFileSync(join(folder, 'package.json'), '{"name":"window","type":"module","main":"main.js"}')
  writeFileSync(join(folder, 'main.js'), main)
  if (!hasDisplayServer) return
  server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  server.stdio[3]?.on('data', (number: Buffer) => (display += number.toString()))
  await waitUntil(() => display.endsWith('\n'), 'the display')
})
afterAll(() => {
  server?.kill()
  removeAll(folder)
})

describe.skipIf(!hasDisplayServer)('the first window of the stand-in for Electron on a display', () => {
  it('has no tabs and no address bar, and the app keeps running after this window closes until the app itself quits', async () => {
    const app = startProgram(join(standIn, 'electron'), [folder], { DISPLAY: `:${display.trim()}` })
    await waitUntil(() => app.hasEnded(), 'the end of the app')
    const [line = '', ...rest] = app.log().trim().split('\n')
    const { inner, outer, title } = JSON.parse(line) as { inner: number[]; outer: number; title: string }
    expect([inner, title]).toEqual([[640, 400], 'Shown'])
    // A window with tabs and an address bar is more than 120 pixels higher than its content.
    expect(outer - 400).toBeLessThan(80)
    expect(rest).toEqual(['all closed'])
  })
})
