/** Finds cycles only: which module may import which is checked by modules.config.js and modules/allowed-imports. */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: {} },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(out|dist|src/messages)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'test/tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.svelte'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
}
