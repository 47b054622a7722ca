import './zod-jitless.ts'
import './styles.ts'
import { mount } from 'svelte'
import { windowBridge } from '#bridge/window-client.ts'
import App from './App.svelte'

const target = document.getElementById('app')
if (!target) throw new Error('index.html has no #app')
mount(App, { target, props: { bridge: windowBridge() } })
