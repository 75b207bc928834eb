#include "COpenCV.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <malloc.h>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/dnn.hpp>
#include <opencv2/imgproc.hpp>
#include <mutex>
#include <new>
#include <poll.h>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

struct opencv_network {
    cv::dnn::Net net;
};

namespace {

constexpr double longest_strip = 8;

// Configures OpenCV for one thread per call and no output on the standard error. Errors are returned to the caller.
void configure() {
    static const bool once = [] {
        cv::setNumThreads(1);
        cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
        cv::redirectError([](int, const char *, const char *, const char *, int, void *) { return 0; });
        return true;
    }();
    (void)once;
}

// Protects `fork`. Threads hold it shared while they run OpenCV, and `fork` needs it exclusively; otherwise the child
// could inherit a lock of OpenCV that another thread holds and that is never released in the child.
std::shared_mutex at_work;

pid_t fork_alone() {
    at_work.lock();
    const pid_t child = fork();
    // The child's thread has another id than the thread that locked the mutex, so the mutex can only be constructed
    // anew.
    if (child == 0) new (&at_work) std::shared_mutex; else at_work.unlock();
    return child;
}

void tell(opencv_failure *failure, const char *text) {
    std::snprintf(failure->text, sizeof failure->text, "%s", text);
}

template <typename Result, typename Body> Result guarded(opencv_failure *failure, Result failed, Body body) {
    try {
        return body();
    } catch (const cv::Exception &exception) {
        tell(failure, (exception.err + " in " + exception.func).c_str());
    } catch (const std::exception &exception) {
        tell(failure, exception.what());
    } catch (...) {
        tell(failure, "an exception of an unknown kind");
    }
    return failed;
}

template <typename Result, typename Body> Result at_opencv(opencv_failure *failure, Result failed, Body body) {
    return guarded(failure, failed, [&] {
        const std::shared_lock together(at_work);
        configure();
        return body();
    });
}

cv::Mat resized(const cv::Mat &picture, int width, int height) {
    const bool grows = width > picture.cols || height > picture.rows;
    cv::Mat result;
    cv::resize(picture, result, cv::Size(width, height), 0, 0, grows ? cv::INTER_LINEAR : cv::INTER_AREA);
    return result;
}

cv::Mat centre(const cv::Mat &picture, int width, int height) {
    width = std::min(width, picture.cols);
    height = std::min(height, picture.rows);
    return picture(cv::Rect((picture.cols - width) / 2, (picture.rows - height) / 2, width, height));
}

cv::Mat covering(const cv::Mat &whole, const opencv_input &input) {
    const double width = input.width / input.crop, height = input.height / input.crop;
    const auto scale_of = [&](const cv::Mat &picture) { return std::max(width / picture.cols, height / picture.rows); };
    const auto most = [&](double side) {
        return static_cast<int>(std::min(1e9, std::ceil(longest_strip * side / scale_of(whole))));
    };
    const cv::Mat picture = centre(whole, most(width), most(height));
    const double scale = scale_of(picture);
    const int columns = std::max(input.width, cvRound(picture.cols * scale));
    const int rows = std::max(input.height, cvRound(picture.rows * scale));
    return centre(resized(picture, columns, rows), input.width, input.height);
}

void normalise(const cv::Mat &picture, const opencv_input &input, float *planes) {
    for (int channel = 0; channel < 3; channel++)
        for (int y = 0; y < picture.rows; y++) {
            const uint8_t *row = picture.ptr<uint8_t>(y) + channel;
            for (int x = 0; x < picture.cols; x++)
                *planes++ = (row[3 * x] / 255.0f - input.mean[channel]) / input.std[channel];
        }
}

// Runs the network in the child of a multi-threaded process. `alarm` ends the child if it hangs. Signal handlers, the
// signal mask and core dumps of the parent are disabled.
[[noreturn]] void run_once(
    const void *onnx, size_t count, int width, int height, unsigned seconds, int started) {
    for (const int number : {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) std::signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    // If memory runs out, the kernel should kill this process first.
    if (std::FILE *file = std::fopen("/proc/self/oom_score_adj", "w")) {
        std::fputs("1000", file);
        std::fclose(file);
    }
    alarm(seconds);
    if (write(started, "", 1) != 1) _exit(0);
    opencv_failure failure;
    if (opencv_network *network = opencv_network_create(onnx, count, &failure)) {
        const std::vector<float> planes(size_t{3} * width * height);
        opencv_numbers outputs{};
        opencv_network_run(network, planes.data(), width, height, nullptr, &outputs, nullptr, nullptr, &failure);
    }
    _exit(0);
}

// Waits for a child to end and returns its status.
int end_of(pid_t child) {
    int status = 0;
    pid_t ended;
    while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR) continue;
    if (ended < 0) throw std::runtime_error("its end was not told: " + std::string(strerror(errno)));
    return status;
}

void copy(const cv::Mat &from, opencv_numbers &to) {
    if (from.depth() != CV_32F || !from.isContinuous())
        throw std::runtime_error("outputs that are not 32-bit floating point");
    to.count = static_cast<int64_t>(from.total());
    std::copy_n(from.ptr<float>(), std::min(to.most, from.total()), to.values);
}

// OpenCV 4.6 names layers by their ONNX nodes, and by the outputs of nodes without a name.
cv::String layer_of(const cv::dnn::Net &net, const char *node) {
    for (const char *prefix : {"onnx_node!", "onnx_node_output_0!"}) {
        const cv::String name = prefix + cv::String(node);
        if (net.getLayerId(name) >= 0) return name;
    }
    throw std::runtime_error("no node " + std::string(node));
}

bool are_maps(const cv::Mat &answer) { return answer.dims == 4; }

// Returns 1 x channels x rows x columns as a matrix with a row for each channel.
cv::Mat channels_of(const cv::Mat &maps) {
    return {maps.size[0] * maps.size[1], maps.size[2] * maps.size[3], CV_32F, const_cast<uchar *>(maps.data)};
}

// Returns the mean over the columns (1) or the rows (0) of a matrix.
cv::Mat mean_of(const cv::Mat &matrix, int dimension) {
    cv::Mat means;
    cv::reduce(matrix, means, dimension, cv::REDUCE_AVG);
    return means;
}

// Copies the mean of each channel of maps; other shapes remain as they are.
void copy_features(const cv::Mat &answer, opencv_numbers &to) {
    copy(are_maps(answer) ? mean_of(channels_of(answer), 1) : answer, to);
}

void copy_activity(const cv::Mat &answer, opencv_numbers &to) {
    if (!are_maps(answer)) return;
    copy(mean_of(channels_of(answer), 0), to);
    to.columns = answer.size[3];
}

[[noreturn]] void cannot_be_tried(const char *why) {
    throw std::runtime_error("it cannot be tried: " + std::string(why));
}

// Closes both ends of the pipe, except an end that was closed before.
struct Pipe {
    int reading, writing;
    Pipe() {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) cannot_be_tried(strerror(errno));
        reading = ends[0];
        writing = ends[1];
    }
    ~Pipe() {
        close(reading);
        if (writing >= 0) close(writing);
    }
};

// Returns whether the child reports within a number of milliseconds that it runs; false if it ends earlier.
bool tells(const Pipe &pipe, int milliseconds) {
    pollfd waiting{pipe.reading, POLLIN, 0};
    int ready;
    while ((ready = poll(&waiting, 1, milliseconds)) < 0 && errno == EINTR) continue;
    char byte;
    return ready == 1 && read(pipe.reading, &byte, 1) == 1;
}

// Starts a child that runs the network and waits until it runs. Some libraries (PROJ, for its database) take locks in
// the child of a fork. If another thread holds such a lock, the child hangs before its own first instruction; then it
// is killed and another one is started.
pid_t start_trial(const void *onnx, size_t count, int width, int height, unsigned seconds) {
    for (int milliseconds = 1000; milliseconds < 20000; milliseconds += milliseconds / 2) {
        Pipe pipe;
        const pid_t child = fork_alone();
        if (child == 0) run_once(onnx, count, width, height, seconds, pipe.writing);
        if (child < 0) cannot_be_tried(strerror(errno));
        close(pipe.writing);
        pipe.writing = -1;
        if (tells(pipe, milliseconds)) return child;
        kill(child, SIGKILL);
        end_of(child);
    }
    cannot_be_tried("no process begins to run it");
}

} // namespace

int opencv_network_try(
    const void *onnx, size_t count, int width, int height, unsigned seconds, opencv_failure *failure) {
    return guarded(failure, -1, [&] {
        const int status = end_of(start_trial(onnx, count, width, height, seconds));
        if (!WIFSIGNALED(status)) return 0;
        const int number = WTERMSIG(status);
        if (number == SIGALRM) throw std::runtime_error("running it takes over " + std::to_string(seconds) + " s");
        throw std::runtime_error("OpenCV crashes on it: " + std::string(strsignal(number)));
    });
}

opencv_network *opencv_network_create(const void *onnx, size_t count, opencv_failure *failure) {
    return at_opencv<opencv_network *>(failure, nullptr, [&]() -> opencv_network * {
        cv::dnn::Net net = cv::dnn::readNetFromONNX(static_cast<const char *>(onnx), count);
        if (net.empty()) {
            tell(failure, "no network in it");
            return nullptr;
        }
        net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
        net.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
        return new opencv_network{net};
    });
}

void opencv_network_free(opencv_network *network) {
    delete network;
    // The C library keeps freed memory; a network frees tens of megabytes at once.
    malloc_trim(0);
}

int opencv_picture_prepare(
    const opencv_picture *picture, const opencv_input *input, float *planes, opencv_failure *failure) {
    return at_opencv(failure, -1, [&] {
        const cv::Mat whole(
            picture->height, picture->width, CV_8UC3, const_cast<uint8_t *>(picture->rgb), picture->stride);
        const cv::Mat seen = input->covers ? covering(whole, *input) : resized(whole, input->width, input->height);
        normalise(seen, *input, planes);
        return 0;
    });
}

int opencv_network_run(
    opencv_network *network, const float *planes, int width, int height, const char *node, opencv_numbers *outputs,
    opencv_numbers *features, opencv_numbers *activity, opencv_failure *failure) {
    return at_opencv(failure, -1, [&] {
        const int shape[] = {1, 3, height, width};
        network->net.setInput(cv::Mat(4, shape, CV_32F, const_cast<float *>(planes)));
        if (!node) {
            copy(network->net.forward(), *outputs);
            return 0;
        }
        std::vector<cv::Mat> answers;
        network->net.forward(
            answers, {layer_of(network->net, node), network->net.getUnconnectedOutLayersNames().front()});
        copy_features(answers[0], *features);
        if (activity) copy_activity(answers[0], *activity);
        copy(answers[1], *outputs);
        return 0;
    });
}
