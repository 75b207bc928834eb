package import NIOCore
import NIOTLS

/// Encrypts and decrypts a connection of a server by OpenSSL.
///
/// Both halves of a connection end on their own, as they do without TLS, so the channel needs the option
/// `allowRemoteHalfClosure`.
package final class TLSServerHandler: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    private enum Action {
        case write(ByteBuffer, EventLoopPromise<Void>?)
        /// Ends the output when what was written before is sent.
        case close(EventLoopPromise<Void>?)
    }

    private struct Ending {
        let promise: EventLoopPromise<Void>
        let timeout: Scheduled<Void>
    }

    /// How long a closed connection waits for the peer's end. Closing a socket with unread bytes would reset it, and the
    /// peer would lose what was written last.
    private static let patience = TimeAmount.seconds(5)

    private var connection: TLSConnection
    private var isHandshaking = true
    private var (isInputOpen, isOutputOpen) = (true, true)
    /// The end of the connection, which waits for the end of the peer's half; nil before this side closes it.
    private var ending: Ending?
    /// The writes and ends that wait for a flush or for the end of the handshake.
    private var actions = MarkedCircularBuffer<Action>(initialCapacity: 8)

    package init(_ context: TLSContext) throws {
        connection = try TLSConnection(context)
    }

    // MARK: - Inbound

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if ending == nil { connection.receive(unwrapInboundIn(data)) }
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        // Handlers above may no longer read.
        guard ending == nil else { return context.read() }
        if isHandshaking { continueHandshake(context) }
        if !isHandshaking, read(context) > 0 { context.fireChannelReadComplete() }
        connection.releaseMemory()
        sendOutput(context)
        context.flush()
    }

    private func continueHandshake(_ context: ChannelHandlerContext) {
        switch connection.handshake() {
        case .done:
            isHandshaking = false
            let event = TLSUserEvent.handshakeCompleted(negotiatedProtocol: connection.negotiatedProtocol)
            context.fireUserInboundEventTriggered(event)
            runActions(context)
        case .waiting: break
        case .ended: context.close(promise: nil)
        case .failed(let error): fail(error, context)
        }
    }

    /// Decrypts what has arrived. Returns the number of records. Handlers above may close the connection meanwhile.
    private func read(_ context: ChannelHandlerContext) -> Int {
        var count = 0
        while isInputOpen, ending == nil, context.channel.isActive {
            var buffer = context.channel.allocator.buffer(capacity: 0)
            switch connection.read(into: &buffer) {
            case .done:
                count += 1
                context.fireChannelRead(wrapInboundOut(buffer))
            case .waiting: return count
            case .ended: endInput(context)
            case .failed(let error): fail(error, context)
            }
        }
        return count
    }

    private func endInput(_ context: ChannelHandlerContext) {
        isInputOpen = false
        context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        if !isOutputOpen { context.close(promise: nil) }
    }

    /// Sends the alert that OpenSSL has written, and closes the connection.
    private func fail(_ error: TLSError, _ context: ChannelHandlerContext) {
        (isInputOpen, isOutputOpen) = (false, false)
        sendOutput(context)
        context.flush()
        context.fireErrorCaught(error)
        context.close(promise: nil)
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case ChannelEvent.inputClosed? = event as? ChannelEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        // The peer has closed its socket. Without a message of TLS before that, somebody else may have.
        if ending != nil || isInputOpen { context.close(promise: nil) }
    }

    package func channelInactive(context: ChannelHandlerContext) {
        (isInputOpen, isOutputOpen) = (false, false)
        discardActions()
        ending?.timeout.cancel()
        ending?.promise.succeed()
        context.fireChannelInactive()
    }

    package func handlerRemoved(context: ChannelHandlerContext) { discardActions() }

    // MARK: - Outbound

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isOutputOpen else {
            promise?.fail(ChannelError.outputClosed)
            return
        }
        actions.append(.write(unwrapOutboundIn(data), promise))
    }

    package func flush(context: ChannelHandlerContext) {
        actions.mark()
        runActions(context)
        context.flush()
    }

    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        switch mode {
        case .input: promise?.fail(ChannelError.operationUnsupported)
        case .output:
            actions.append(.close(promise))
            flush(context: context)
        case .all:
            discardActions()
            closeAfterPeer(context, promise)
        }
    }

    private func closeAfterPeer(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        if let ending { return ending.promise.futureResult.cascade(to: promise) }
        let mayWait = isInputOpen && isOutputOpen && !isHandshaking
        endOutput(context)
        // The channel closes itself if it cannot write.
        guard mayWait, context.channel.isActive else { return context.close(promise: promise) }
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        ending = Ending(
            promise: promise ?? context.eventLoop.makePromise(),
            timeout: context.eventLoop.scheduleTask(in: Self.patience) { bound.value.close(promise: nil) }
        )
        context.close(mode: .output, promise: nil)
        context.read()
    }

    private func runActions(_ context: ChannelHandlerContext) {
        guard !isHandshaking else { return }
        while actions.hasMark {
            switch actions.removeFirst() {
            case .write(let buffer, let promise): send(buffer, promise, context)
            case .close(let promise):
                endOutput(context)
                // The end of the whole connection, if the peer has ended its half.
                context.close(mode: isInputOpen ? .output : .all, promise: promise)
            }
        }
    }

    private func send(_ buffer: ByteBuffer, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
        guard isOutputOpen else {
            promise?.fail(ChannelError.outputClosed)
            return
        }
        var output = context.channel.allocator.buffer(capacity: 0)
        switch connection.write(buffer, to: &output) {
        case .done: context.write(wrapOutboundOut(output), promise: promise)
        case .waiting, .ended: promise?.fail(ChannelError.outputClosed)
        case .failed(let error):
            promise?.fail(error)
            fail(error, context)
        }
    }

    private func endOutput(_ context: ChannelHandlerContext) {
        guard isOutputOpen else { return }
        isOutputOpen = false
        if !isHandshaking { connection.end() }
        sendOutput(context)
        context.flush()
    }

    /// Sends messages of TLS itself.
    private func sendOutput(_ context: ChannelHandlerContext) {
        var output = context.channel.allocator.buffer(capacity: 0)
        connection.takeOutput(&output)
        if output.readableBytes > 0 { context.write(wrapOutboundOut(output), promise: nil) }
    }

    private func discardActions() {
        while let action = actions.popFirst() {
            switch action {
            case .write(_, let promise), .close(let promise): promise?.fail(ChannelError.ioOnClosedChannel)
            }
        }
    }
}
