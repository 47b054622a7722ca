import { relative } from 'node:path'
import { judge } from './modules.config.js'

/** Refuses every import that modules.config.js does not allow, in .ts and .svelte files. */
export default {
  meta: { name: 'modules' },
  rules: {
    'allowed-imports': {
      meta: { type: 'problem', schema: [], messages: { refused: '{{reason}}' } },
      create(context) {
        const file = relative(context.cwd, context.filename).replaceAll('\\', '/')
        const check = (node, source, typeOnly) => {
          if (typeof source?.value !== 'string') return
          const reason = judge(file, source.value, typeOnly)
          if (reason) context.report({ node, messageId: 'refused', data: { reason } })
        }
        return {
          ImportDeclaration: (node) => {
            const named = node.specifiers.length > 0 && node.specifiers.every((s) => s.importKind === 'type')
            check(node, node.source, node.importKind === 'type' || named)
          },
          ExportNamedDeclaration: (node) => check(node, node.source, node.exportKind === 'type'),
          ExportAllDeclaration: (node) => check(node, node.source, node.exportKind === 'type'),
          ImportExpression: (node) => check(node, node.source, false),
        }
      },
    },
  },
}
