import { resolve } from 'node:path'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'

const root = import.meta.dirname

export default defineConfig({
  root,
  base: './',
  plugins: [svelte({ configFile: resolve(root, '../../svelte.config.js') })],
  build: {
    emptyOutDir: true,
    assetsInlineLimit: 0,
  },
  logLevel: 'warn',
})
