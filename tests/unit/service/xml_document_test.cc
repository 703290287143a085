#include "service/core/xml_document.hh"

#include <gtest/gtest.h>

namespace {

using namespace service;

TEST(xml_document, elements_text_and_attributes) {
    const auto root = parse_xml(
        "\xef\xbb\xbf<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n<!-- c --><a xmlns='urn:x' b=\"<>\"> \n"
        "<b>one &lt;&amp;&gt;&quot;&apos; é</b><c/><d x='1' /><!-- < --><b>two<!-- x -->three</b>\n</a > \n<!-- end -->\n");
    ASSERT_TRUE(root);
    EXPECT_EQ(root->name, "a");
    EXPECT_EQ(root->text, "");
    ASSERT_EQ(root->children.size(), 4U);
    EXPECT_EQ(root->child("b")->text, "one <&>\"' é");
    EXPECT_EQ(root->child("c")->text, "");
    EXPECT_EQ(root->children[3].text, "twothree");
    EXPECT_EQ(root->child("x"), nullptr);
}

TEST(xml_document, what_is_not_well_formed_or_not_in_the_subset_is_refused) {
    for (std::string_view document : {
             "",
             " ",
             "a",
             "<a>",
             "<a",
             "<a/",
             "</a>",
             "<a></b>",
             "<a></a",
             "<a/><b/>",
             "<a/>x",
             "x<a/>",
             "<a><b></a></b>",
             "<1a/>",
             "< a/>",
             "<a b/>",
             "<a b=c/>",
             "<a b='c/>",
             "<a b=\"c'/>",
             "<a ='c'/>",
             "<a>x<b/></a>",
             "<a>&nbsp;</a>",
             "<a>&#65;</a>",
             "<a>&amp</a>",
             "<a>&</a>",
             "<!DOCTYPE a><a/>",
             "<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>",
             "<a><![CDATA[x]]></a>",
             "<a><?pi?></a>",
             "<a><!-- </a>",
             "<?xml <a/>",
             "<a>\x01</a>",
             "<a>\xff</a>",
             "<a>\xc3</a>",
             "<a/><!--",
             "<a><b/>&lt;</a>",
         }) {
        const auto root = parse_xml(document);
        ASSERT_FALSE(root) << document;
        EXPECT_EQ(root.error().code, service_code::invalid_xml_document);
        EXPECT_EQ(root.error().text(), "XML specified is not syntactically valid.");
    }
}

TEST(xml_document, size_depth_and_count_are_bounded) {
    auto nested = [](size_t depth) {
        std::string text;
        for (size_t i = 0; i < depth; ++i) {
            text += "<a>";
        }
        for (size_t i = 0; i < depth; ++i) {
            text += "</a>";
        }
        return text;
    };
    EXPECT_TRUE(parse_xml(nested(xml_depth_max)));
    EXPECT_FALSE(parse_xml(nested(xml_depth_max + 1)));
    EXPECT_FALSE(parse_xml(nested(9000)));
    auto flat = [](size_t count) {
        std::string text = "<a>";
        for (size_t i = 1; i < count; ++i) {
            text += "<b/>";
        }
        return text + "</a>";
    };
    EXPECT_TRUE(parse_xml(flat(xml_elements_max)));
    EXPECT_FALSE(parse_xml(flat(xml_elements_max + 1)));
    EXPECT_TRUE(parse_xml("<a>" + std::string(xml_bytes_max - 7, 'x') + "</a>"));
    EXPECT_FALSE(parse_xml("<a>" + std::string(xml_bytes_max - 6, 'x') + "</a>"));
}

} // namespace
