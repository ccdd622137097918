#if Inspector
  import NIOCore
  import NIOHTTP1
  import NIOPosix

  /// Answers the requests of one connection, one after another.
  final class RequestHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let service: Service
    private let limit: HeadLimit
    private var head: HTTPRequestHead?
    /// The bytes of the body so far: the limit bounds them.
    private var body = ByteBuffer()

    init(_ service: Service, _ limit: HeadLimit) {
      self.service = service
      self.limit = limit
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head):
        self.head = head
        body.clear()
      case .body(var part): body.writeBuffer(&part)
      case .end:
        limit.requestEnded()
        guard let head else { return }
        self.head = nil
        respond(to: head, context)
      }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }

    private func respond(to head: HTTPRequestHead, _ context: ChannelHandlerContext) {
      let request = PageRequest(
        method: head.method.rawValue,
        address: head.uri,
        headers: head.headers.map { ($0.name, $0.value) }
      )
      switch service.gate.check(request) {
      case .refused(let refusal):
        // What is behind a refused head may be anything.
        let reply = request.isNavigation ? Reply(page: refusal) : Reply(refusal)
        write(reply, to: head, context, .close)
      case .moved(let address):
        var reply = Reply(.permanentRedirect, type: "text/plain; charset=utf-8", "")
        reply.location = address
        write(reply, to: head, context)
      case .open(let path, let query):
        let sql = head.method == .POST ? String(buffer: body) : nil
        switch Routes.destination(path, query: query) {
        case .reply(let reply): write(reply.shown(request), to: head, context)
        case .events: startEvents(head, context)
        case .question(let subject, let form, let query):
          let answers = service.answers
          let channel = context.channel
          let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
          let context = NIOLoopBound(context, eventLoop: context.eventLoop)
          service.threads.pool(for: subject).submit { state in
            // A client that has gone asks no more.
            guard case .active = state, channel.isActive else { return }
            let reply = Routes.reply(subject, form, query: query, sql, answers).shown(request)
            context.eventLoop.execute {
              guard channel.isActive else { return }
              handler.value.write(reply, to: head, context.value)
            }
          }
        }
      }
    }

    /// What becomes of the connection after an answer.
    private enum Ending {
      case keep, close
    }

    private func write(
      _ reply: Reply,
      to request: HTTPRequestHead,
      _ context: ChannelHandlerContext,
      _ ending: Ending = .keep
    ) {
      let isKept = ending == .keep && request.isKeepAlive
      var head = HTTPResponseHead(version: .http1_1, status: reply.status, headers: reply.headers)
      if !isKept { head.headers.add(name: "connection", value: "close") }
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      if request.method != .HEAD {
        context.write(wrapOutboundOut(.body(.byteBuffer(reply.body))), promise: nil)
      }
      let channel = context.channel
      context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
        if !isKept { channel.close(promise: nil) }
      }
      if isKept { limit.awaitHead(context) }
    }

    private func startEvents(_ request: HTTPRequestHead, _ context: ChannelHandlerContext) {
      guard service.tail.hasRoom else {
        return write(
          Reply(.serviceUnavailable, error: "Too many pages wait for events."),
          to: request,
          context
        )
      }
      var headers = HTTPHeaders(Reply.safety)
      headers.add(name: "content-type", value: "text/event-stream; charset=utf-8")
      let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      guard request.method != .HEAD else {
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        return limit.awaitHead(context)
      }
      context.flush()
      service.tail.add(context.channel)
    }
  }
#endif
