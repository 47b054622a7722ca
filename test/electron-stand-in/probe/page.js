window.violations = []
document.addEventListener('securitypolicyviolation', (event) =>
  window.violations.push(event.effectiveDirective),
)
window.moduleRan = true
window.keys = []
window.addEventListener('keydown', (event) =>
  window.keys.push([event.key, event.code, event.timeStamp, event.isTrusted]),
)
