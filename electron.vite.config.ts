import { resolve } from 'node:path'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'electron-vite'
import { bundleEntries } from './electron/launch/bundle-entries.ts'

export default defineConfig({
  main: {
    plugins: [bundleEntries()],
    build: {
      outDir: 'out/main',
      rolldownOptions: {
        input: {
          main: resolve('electron/main/main.ts'),
          middleware: resolve('electron/middleware/entry/utility.ts'),
        },
      },
    },
  },
  preload: {
    build: {
      outDir: 'out/preload',
      rolldownOptions: {
        input: { preload: resolve('electron/preload/preload.ts') },
        // Electron runs a sandboxed preload script only if it is one CommonJS file
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'src/app',
    plugins: [svelte()],
    build: {
      outDir: 'out/renderer',
      emptyOutDir: true,
      minify: true,
      // no file is inlined, because data: URLs would need an entry in the content security policy
      assetsInlineLimit: 0,
      rolldownOptions: { input: { index: resolve('src/app/index.html') } },
    },
  },
})
