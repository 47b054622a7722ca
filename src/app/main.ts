import './zod-jitless.ts'
import './styles.ts'
import { mount } from 'svelte'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import App from './App.svelte'

declare global {
  interface Window {
    /** The bridge, which the preload script adds; missing in a plain browser. */
    readonly scandesk?: ScandeskBridge
  }
}

const target = document.getElementById('app')
if (!target) throw new Error('index.html has no #app')
const bridge = window.scandesk
if (!bridge) throw new Error('window.scandesk is missing: this page runs outside the desk')
mount(App, { target, props: { bridge } })
