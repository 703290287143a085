#include "service/core/xml_document.hh"

#include <algorithm>
#include <array>
#include <optional>

#include "tables/core/unicode.hh"

namespace service {
namespace {

constexpr std::string_view xml_blanks = " \t\r\n";

bool is_name_start(char c) {
    const char lower = static_cast<char>(c | 0x20);
    return (lower >= 'a' && lower <= 'z') || c == '_';
}

bool is_name_part(char c) {
    return is_name_start(c) || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == ':';
}

bool is_blank(std::string_view text) {
    return text.find_first_not_of(xml_blanks) == std::string_view::npos;
}

bool has_forbidden_control(std::string_view text) {
    return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 && !xml_blanks.contains(c); });
}

// Text with the five entities resolved; nothing for another one.
std::optional<std::string> unescape(std::string_view raw) {
    static constexpr std::array<std::pair<std::string_view, char>, 5> entities{
        {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}};
    std::string text;
    while (!raw.empty()) {
        const size_t plain = std::min(raw.find('&'), raw.size());
        text.append(raw.substr(0, plain));
        raw.remove_prefix(plain);
        if (raw.empty()) {
            break;
        }
        const auto entity = std::ranges::find_if(entities, [raw](const auto& e) { return raw.starts_with(e.first); });
        if (entity == entities.end()) {
            return std::nullopt;
        }
        text.push_back(entity->second);
        raw.remove_prefix(entity->first.size());
    }
    return text;
}

// Recursive descent; every function returns false at the first thing that is not right, and nobody looks further.
class reader {
public:
    explicit reader(std::string_view document) : _rest(document) {}

    bool read_document(xml_element& root) {
        skip("\xef\xbb\xbf");
        if (skip("<?xml") && !skip_past("?>")) {
            return false;
        }
        return skip_space_and_comments() && read_element(root, 1) && skip_space_and_comments() && _rest.empty();
    }

private:
    bool skip(std::string_view expected) {
        if (!_rest.starts_with(expected)) {
            return false;
        }
        _rest.remove_prefix(expected.size());
        return true;
    }

    bool skip_past(std::string_view end) {
        const size_t at = _rest.find(end);
        if (at == std::string_view::npos) {
            return false;
        }
        _rest.remove_prefix(at + end.size());
        return true;
    }

    void skip_space() { _rest.remove_prefix(std::min(_rest.find_first_not_of(xml_blanks), _rest.size())); }

    bool skip_space_and_comments() {
        for (skip_space(); skip("<!--"); skip_space()) {
            if (!skip_past("-->")) {
                return false;
            }
        }
        return true;
    }

    bool read_name(std::string_view& name) {
        if (_rest.empty() || !is_name_start(_rest.front())) {
            return false;
        }
        const auto end = std::ranges::find_if_not(_rest, is_name_part);
        name = _rest.substr(0, static_cast<size_t>(end - _rest.begin()));
        _rest.remove_prefix(name.size());
        return true;
    }

    // Up to the closing bracket of the tag, which stays.
    bool skip_attributes() {
        for (skip_space(); !_rest.starts_with('>') && !_rest.starts_with("/>"); skip_space()) {
            std::string_view name;
            if (!read_name(name) || !skip("=") || !(_rest.starts_with('"') || _rest.starts_with('\''))) {
                return false;
            }
            const char quote = _rest.front();
            _rest.remove_prefix(1);
            if (!skip_past({&quote, 1})) {
                return false;
            }
        }
        return true;
    }

    bool read_element(xml_element& element, size_t depth) {
        if (depth > xml_depth_max || ++_elements_count > xml_elements_max || !skip("<") || !read_name(element.name) ||
            !skip_attributes()) {
            return false;
        }
        if (skip("/>")) {
            return true;
        }
        return skip(">") && read_content(element, depth) && read_end_tag(element.name);
    }

    // Text or children, not both; the end tag stays.
    bool read_content(xml_element& element, size_t depth) {
        for (;;) {
            const size_t markup = _rest.find('<');
            if (markup == std::string_view::npos || !append_text(element, _rest.substr(0, markup))) {
                return false;
            }
            _rest.remove_prefix(markup);
            if (_rest.starts_with("</")) {
                return finish_text(element);
            }
            if (skip("<!--")) {
                if (!skip_past("-->")) {
                    return false;
                }
                continue;
            }
            if (!read_element(element.children.emplace_back(), depth + 1)) {
                return false;
            }
        }
    }

    static bool append_text(xml_element& element, std::string_view raw) {
        const auto text = unescape(raw);
        if (!text || has_forbidden_control(*text)) {
            return false;
        }
        element.text += *text;
        return true;
    }

    static bool finish_text(xml_element& element) {
        if (element.children.empty()) {
            return true;
        }
        const bool is_layout = is_blank(element.text);
        element.text.clear();
        return is_layout;
    }

    bool read_end_tag(std::string_view name) {
        if (!skip("</") || !skip(name)) {
            return false;
        }
        skip_space();
        return skip(">");
    }

    std::string_view _rest;
    size_t _elements_count = 0;
};

} // namespace

const xml_element* xml_element::child(std::string_view wanted) const {
    const auto found = std::ranges::find(children, wanted, &xml_element::name);
    return found == children.end() ? nullptr : &*found;
}

outcome<xml_element> parse_xml(std::string_view document) {
    xml_element root;
    if (document.size() > xml_bytes_max || !tables::is_utf8(document) || !reader(document).read_document(root)) {
        return refuse(service_code::invalid_xml_document);
    }
    return root;
}

} // namespace service
