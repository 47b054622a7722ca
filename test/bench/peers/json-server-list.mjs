// Runs json-server with the records of a file {"variants": […]}. Argument: the file.
import jsonServer from 'json-server'

const app = jsonServer.create()
app.use(jsonServer.router(process.argv[2]))
const server = app.listen(0, '127.0.0.1', () => process.send(server.address().port))
